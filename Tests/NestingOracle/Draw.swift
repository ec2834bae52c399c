// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Groups of operations that can be left out, with `STRATA_NESTING_WITHOUT`.
package enum Group: String, CaseIterable, Sendable {
  /// One relationship of to-one and to-many, and one of one to one.
  case links, pairs
  case insertions, deletions
  /// Objects that the program holds.
  case held
  case rollback, refresh, merge
  /// Contexts that merge automatically, that are confined, that live in their parent's isolation.
  case automatic, confined, inner
  /// Saves to the store in two steps.
  case steps
  /// A second root; two children beside a grandchild.
  case rival, sibling, grandchild
  /// Merge policies other than `.error`.
  case policies
}

/// Draws sequences of operations by a seed.
struct Draw {
  private var random: SeededGenerator
  private let choices: [(operation: Operation, end: Int)]
  private let total: Int
  let setup: Setup

  init(seed: UInt64, without: Set<Group>) {
    var random = SeededGenerator(seed: seed)
    setup = Self.setup(&random, without)
    var end = 0
    var choices: [(Operation, Int)] = []
    for operation in Self.all
    where Self.groups(of: operation).isDisjoint(with: without)
      && !(setup.policy.keepsTheirs && (operation.name == .link || operation.name == .pair))
      && !(operation.name == .begin && setup.home(operation.place) != .queue)
    {
      let share = operation.name == .link || operation.name == .pair ? 3 : 8
      guard Int.random(in: 0..<10, using: &random) < share else { continue }
      end += Self.weight(operation)
      choices.append((operation, end))
    }
    (self.choices, total, self.random) = (choices, end, random)
  }

  /// - Returns: nil if nothing that was drawn has a meaning now.
  mutating func next(_ promise: Promise) -> Operation? {
    guard total > 0 else { return nil }
    for _ in 0..<8 {
      let number = Int.random(in: 0..<total, using: &random)
      var (low, high) = (0, choices.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if choices[middle].end > number { high = middle } else { low = middle + 1 }
      }
      if promise.isPossible(choices[low].operation) { return choices[low].operation }
    }
    return nil
  }

  // MARK: - What is drawn

  private static func setup(_ random: inout SeededGenerator, _ without: Set<Group>) -> Setup {
    var setup = Setup()
    let policies = [Policy.error, .error, .object, .store, .overwrite, .rollback]
    let policy = policies.randomElement(using: &random) ?? .error
    if !without.contains(.policies) { setup.policy = policy }
    for place in Place.allCases {
      let number = Int.random(in: 0..<10, using: &random)
      if number == 0, !without.contains(.confined) { setup.homes[place] = .confined }
      if number == 1, !place.isRoot, !without.contains(.inner) { setup.homes[place] = .inner }
      let isAutomatic = Int.random(in: 0..<6, using: &random) == 0
      if isAutomatic, !without.contains(.automatic) { setup.automatic.insert(place) }
    }
    setup.looksAtAll = Bool.random(using: &random)
    return setup
  }

  private static let all: [Operation] = Operation.Name.allCases.flatMap { name in
    Place.allCases.flatMap { place in operations(name, place) }
  }

  private static func operations(_ name: Operation.Name, _ place: Place) -> [Operation] {
    let keys = 0..<4
    switch name {
    case .rollback, .merge, .fetch, .save: return [Operation(name, place)]
    case .begin, .finish: return place.isRoot ? [Operation(name, place)] : []
    case .set:
      return keys.flatMap { key in
        [Slot.a, .b].map { Operation(name, place, key, slot: $0) }
      }
    case .link, .pair:
      return keys.flatMap { key in
        [Operation(name, place, key)]
          + keys.filter { $0 != key }.map { Operation(name, place, key, target: $0) }
      }
    default: return keys.map { Operation(name, place, $0) }
    }
  }

  private static func weight(_ operation: Operation) -> Int {
    // The first two objects are where contexts meet.
    let share = (operation.key ?? 0) < 2 ? 4 : 1
    return switch operation.name {
    case .set: 3 * share
    case .save, .finish: 40
    case .fetch, .begin: 12
    case .rollback, .merge: 8
    case .hold, .insert: 2 * share
    case .link, .pair: share
    case .delete, .release, .read, .revert, .refresh: share
    }
  }

  private static func groups(of operation: Operation) -> Set<Group> {
    var groups: Set<Group> = []
    switch operation.name {
    case .link: groups.insert(.links)
    case .pair: groups.insert(.pairs)
    case .insert: groups.insert(.insertions)
    case .delete: groups.insert(.deletions)
    case .hold, .release: groups.insert(.held)
    case .rollback: groups.insert(.rollback)
    case .revert, .refresh: groups.insert(.refresh)
    case .merge: groups.insert(.merge)
    case .begin, .finish: groups.insert(.steps)
    case .set, .read, .fetch, .save: break
    }
    switch operation.place {
    case .rival: groups.insert(.rival)
    case .sibling: groups.insert(.sibling)
    case .grandchild: groups.insert(.grandchild)
    case .root, .child: break
    }
    return groups
  }
}

extension Policy {
  /// Whether a deletion gives way to what the store has, and to links that lead there.
  var keepsTheirs: Bool { self == .store || self == .rollback }
}
