// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Groups of operations that can be left out, with `STRATA_NESTING_WITHOUT`.
package enum Group: String, CaseIterable, Sendable {
  /// One relationship of to-one and to-many, and one of one to one.
  case links, pairs
  /// One that cascades; links under policies by which a deletion gives way to the store.
  case cascades, keeping
  /// One of many to many, and an ordered one.
  case likes, ordered
  case insertions, deletions
  /// Objects that the program holds.
  case held
  case rollback, refresh, merge, reset, undo
  /// Edits that throw, query generations, children that are used inside their parents' turns.
  case edits, pins, turns
  /// A rival on another coordinator of the file.
  case shared
  /// Contexts that merge automatically, that are confined, that live in their parent's isolation.
  case automatic, confined, inner
  /// Saves through several levels.
  case through
  /// Saves to the store in two steps; those through several levels.
  case steps, voyages
  /// A second root; two children and a grandchild.
  case rival, child, sibling, grandchild
  /// Merge policies other than `.error`; saves to parents that ask one.
  case policies, checked
  /// A unique attribute, under the policy `.error`.
  case unique
  /// The members of to-many relationships; without this group, they are changed but not compared.
  case members
  /// The derived values of contexts, of objects that differ from the store's.
  case derived
}

/// Draws sequences of operations by a seed.
struct Draw {
  private var random: SeededGenerator
  private let choices: [(operation: Operation, end: Int)]
  private let total: Int
  let setup: Setup
  private let hasEdits: Bool
  private let hasTurns: Bool

  init(seed: UInt64, without: Set<Group>) {
    var random = SeededGenerator(seed: seed)
    setup = Self.setup(&random, without)
    hasEdits = !without.contains(.edits)
    // A merge between the steps of a turn depends on the operations of others.
    hasTurns = !without.contains(.turns) && setup.automatic.isEmpty && setup.undoable.isEmpty
    var end = 0
    var choices: [(Operation, Int)] = []
    for operation in Self.all
    where Self.groups(of: operation).isDisjoint(with: without)
      && !(setup.policy.keepsTheirs && operation.isOfLinks && without.contains(.keeping))
      && !(setup.policy != .error && operation.name == .code)
      && !([.begin, .through].contains(operation.name) && !Self.isOfQueues(operation.place, setup))
    {
      let share = operation.isOfLinks ? 3 : 8
      guard Int.random(in: 0..<10, using: &random) < share else { continue }
      end += Self.weight(operation)
      choices.append((operation, end))
    }
    (self.choices, total, self.random) = (choices, end, random)
  }

  private static func isOfQueues(_ place: Place, _ setup: Setup) -> Bool {
    ([place] + place.above).allSatisfy { setup.home($0) == .queue }
  }

  /// One step, or several in one turn.
  ///
  /// - Returns: nil if nothing that was drawn has a meaning now.
  mutating func next(_ oracle: ContextOracle) -> [Operation]? {
    guard var first = one(oracle, within: nil) else { return nil }
    if hasEdits, first.isToBeTried, Int.random(in: 0..<12, using: &random) == 0 {
      first.isTakenBack = true
    }
    guard hasTurns, first.canBeJoined, Int.random(in: 0..<5, using: &random) == 0 else {
      return [first]
    }
    if Bool.random(using: &random), let turn = busyTurn(first, oracle) {
      return turn
    }
    var (turn, after) = ([first], oracle)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard let last = turn.last else { break }
      _ = after.perform(last, value: .max, policy: setup.policy)
      guard var next = one(after, within: first.place), next.canBeJoined,
        next.place == first.place || endsTurn(of: first.place, next.place)
      else { continue }
      next.isJoined = true
      turn.append(next)
    }
    return turn
  }

  /// Whether entering a child inside its parent's turn is known to end that.
  private func endsTurn(of place: Place, _ child: Place) -> Bool {
    child.parent == place && (setup.home(place) == .queue || setup.home(child) == .inner)
  }

  /// A turn during which a child hands over its changes.
  private mutating func busyTurn(_ first: Operation, _ oracle: ContextOracle) -> [Operation]? {
    // A turn that has changed nothing yet may integrate arriving pushes.
    guard first.name == .set, !first.isTakenBack, setup.home(first.place) == .queue else {
      return nil
    }
    let children = Place.allCases.filter { child in
      child.parent == first.place && setup.home(child) == .queue
        && !oracle.isPinned(child) && oracle.isPossible(Operation(.hand, child))
    }
    guard let child = children.randomElement(using: &random) else { return nil }
    var turn = [first, Operation(.hand, child)]
    var after = oracle
    _ = after.perform(first, value: .max, policy: setup.policy)
    if let last = one(after, within: first.place), last.isEdit, last.place == first.place {
      turn.append(last)
    }
    for index in 1..<turn.count { turn[index].isJoined = true }
    return turn
  }

  private mutating func one(_ oracle: ContextOracle, within place: Place?) -> Operation? {
    guard total > 0 else { return nil }
    for _ in 0..<20 {
      let number = Int.random(in: 0..<total, using: &random)
      var (low, high) = (0, choices.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if choices[middle].end > number { high = middle } else { low = middle + 1 }
      }
      let operation = choices[low].operation
      if let place, operation.place != place, !place.below.contains(operation.place) { continue }
      if oracle.isPossible(operation) { return operation }
    }
    return nil
  }

  // MARK: - Drawing

  private static func setup(_ random: inout SeededGenerator, _ without: Set<Group>) -> Setup {
    var setup = Setup()
    let policies = [Policy.error, .error, .object, .store, .overwrite, .rollback]
    let policy = policies.randomElement(using: &random) ?? .error
    if !without.contains(.policies) { setup.policy = policy }
    for place in Place.allCases where !place.isRoot && !without.contains(.checked) {
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      let policy = policies.randomElement(using: &random) ?? .error
      setup.checked[place] = without.contains(.policies) ? .error : policy
    }
    for place in Place.allCases {
      let number = Int.random(in: 0..<10, using: &random)
      if number == 0, !without.contains(.confined) { setup.homes[place] = .confined }
      if number == 1, !place.isRoot, !without.contains(.inner) { setup.homes[place] = .inner }
      let isAutomatic = Int.random(in: 0..<6, using: &random) == 0
      let isUndoable = Int.random(in: 0..<8, using: &random) == 0
      if isUndoable, !without.contains(.undo) { setup.undoable.insert(place) }
      if isAutomatic, !without.contains(.automatic) { setup.automatic.insert(place) }
    }
    setup.looksAtAll = Bool.random(using: &random)
    let isShared = Int.random(in: 0..<6, using: &random) == 0
    setup.isShared = isShared && !without.contains(.shared)
    setup.without = without.intersection([.members, .derived])
    return setup
  }

  private static let all: [Operation] = Operation.Name.allCases.flatMap { name in
    Place.allCases.flatMap { place in operations(name, place) }
  }

  private static func operations(_ name: Operation.Name, _ place: Place) -> [Operation] {
    let keys = 0..<4
    switch name {
    case .hand: return []
    case .rollback, .merge, .fetch, .save, .reset, .pin, .unpin, .undo, .redo,
      .refreshAll:
      return [Operation(name, place)]
    case .through: return place.isRoot ? [] : [Operation(name, place)]
    case .begin, .finish: return [Operation(name, place)]
    case .set:
      return keys.flatMap { key in
        [Slot.a, .b].map { Operation(name, place, key, slot: $0) }
      }
    case .code: return keys.flatMap { key in (0...2).map { code(place, key, $0) } }
    case .stop, .lead, .unstop:
      return keys.flatMap { key in
        keys.filter { $0 != key }.map { Operation(name, place, key, target: $0) }
      }
    case .like, .unlike:
      return keys.flatMap { key in keys.map { Operation(name, place, key, target: $0) } }
    case .link, .part, .pair:
      return keys.flatMap { key in
        [Operation(name, place, key)]
          + keys.filter { $0 != key }.map { Operation(name, place, key, target: $0) }
      }
    default: return keys.map { Operation(name, place, $0) }
    }
  }

  private static func code(_ place: Place, _ key: Int, _ code: Int) -> Operation {
    Operation(.code, place, key, target: code == 0 ? nil : code)
  }

  private static func weight(_ operation: Operation) -> Int {
    // The first two objects are where contexts meet.
    let share = (operation.key ?? 0) < 2 ? 4 : 1
    return switch operation.name {
    case .set: 3 * share
    case .save, .finish, .hand: 40
    case .through: 20
    case .fetch, .begin, .undo, .redo: 12
    case .rollback, .merge: 8
    case .reset, .pin, .unpin, .refreshAll: 2
    case .hold, .insert: 2 * share
    case .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop, .code: share
    case .delete, .release, .read, .revert, .refresh: share
    }
  }

  private static func groups(of operation: Operation) -> Set<Group> {
    var groups: Set<Group> = []
    switch operation.name {
    case .link: groups.insert(.links)
    case .part: groups.insert(.cascades)
    case .pair: groups.insert(.pairs)
    case .like, .unlike: groups.insert(.likes)
    case .stop, .lead, .unstop: groups.insert(.ordered)
    case .code: groups.insert(.unique)
    case .undo, .redo: groups.insert(.undo)
    case .reset: groups.insert(.reset)
    case .pin, .unpin: groups.insert(.pins)
    case .insert: groups.insert(.insertions)
    case .delete: groups.insert(.deletions)
    case .hold, .release: groups.insert(.held)
    case .rollback: groups.insert(.rollback)
    case .revert, .refresh, .refreshAll: groups.insert(.refresh)
    case .merge: groups.insert(.merge)
    case .begin, .finish:
      groups.insert(.steps)
      if !operation.place.isRoot { groups.formUnion([.through, .voyages]) }
    case .through: groups.insert(.through)
    case .set, .read, .fetch, .save, .hand: break
    }
    switch operation.place {
    case .rival: groups.insert(.rival)
    case .sibling: groups.insert(.sibling)
    case .grandchild: groups.insert(.grandchild)
    case .child: groups.insert(.child)
    case .root: break
    }
    return groups
  }
}

extension Operation {
  fileprivate var isOfLinks: Bool {
    switch name {
    case .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop: true
    default: false
    }
  }

  fileprivate var isEdit: Bool { canBeTakenBack && !isTakenBack }

  fileprivate var canBeTakenBack: Bool {
    switch name {
    case .set, .code, .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop, .insert, .delete:
      true
    default: false
    }
  }

  /// Whether it can be done in a savepoint that throws: nothing takes back what it brings up to
  /// date.
  fileprivate var isToBeTried: Bool { canBeTakenBack || name == .refresh || name == .refreshAll }
}

extension Policy {
  /// Whether a deletion gives way to the store's state, and to links that lead there.
  var keepsTheirs: Bool { self == .store || self == .rollback }
}
