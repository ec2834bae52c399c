// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataChanges
import StrataTestSupport

/// The work of one thread of a recorded history.
protocol Participant: Sendable {
  /// Does one unit of work.
  ///
  /// - Parameters:
  ///   - name: the unit's name.
  ///   - versions: unused version numbers, at least eight.
  mutating func work(
    _ name: String, versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> UnitOfWork
}

/// In nanoseconds, by a clock that all threads and processes share.
func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Lets other threads run, one time in three.
private func pause(_ random: inout SeededGenerator) {
  if random.chance(3) { sched_yield() }
}

// MARK: - Writers

/// Reads some fields and writes some of its own in a context, and saves, or takes it back.
struct Writer: Participant {
  let queue: ContextQueue
  let scope: Scope
  /// The fields that it reads.
  let fields: [Field]
  /// The fields that it writes.
  let own: [Field]
  var policy = MergePolicy.error
  /// Whether no two writers that have read the same version of a field can both save it.
  var checksVersions = true
  /// Whether some units guard their reads.
  var guards = false

  /// The end of a unit's first turn.
  private enum Ending {
    case save, rollback, reset
    /// The changes stay unsaved until a second turn saves them.
    case wait
  }

  mutating func work(
    _ name: String, versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> UnitOfWork {
    let seed = random.next()
    let start = now()
    let (first, outcome) = try queue.performAndWait { [self] context in
      var random = SeededGenerator(seed: seed)
      return try firstTurn(context, versions, &random)
    }
    var (turns, end) = ([first], outcome)
    if outcome == nil {
      let edited = Set(
        first.compactMap { if case .write(let field, _, _) = $0 { field } else { nil } })
      let (second, outcome) = try queue.performAndWait { [self] context in
        var random = SeededGenerator(seed: seed &+ 1)
        return try secondTurn(context, edited, &random)
      }
      turns.append(second)
      end = outcome
    }
    return UnitOfWork(
      name, from: start, to: now(), turns, end ?? .abandoned, checksVersions: checksVersions)
  }

  /// - Returns: nil as the outcome if the changes wait for a second turn.
  private func firstTurn(
    _ context: ManagedObjectContext, _ versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> ([Operation], UnitOfWork.Outcome?) {
    context.mergePolicy = policy
    var turn = TurnRecorder(context, scope)
    let isGuarded = guards && random.chance(2)
    let ending: Ending =
      switch random.below(isGuarded ? 16 : 20) {
      case 0...1: .rollback
      case 2: .reset
      case 16...: .wait
      default: .save
      }
    let looked = (0..<2 + random.below(3)).compactMap { _ in random.pick(fields) }
    for field in looked {
      try turn.read(field, isGuarded: isGuarded)
      pause(&random)
    }
    var versions = versions
    var changed: [Field] = []
    for _ in 0..<1 + random.below(3) {
      guard let field = random.pick(own), let version = versions.popFirst() else { continue }
      try turn.write(field, version)
      changed.append(field)
      pause(&random)
    }
    for field in changed + looked { try turn.read(field) }
    switch ending {
    case .save: return (turn.operations, try turn.save())
    case .wait: return (turn.operations, nil)
    case .rollback: context.rollback()
    case .reset: context.reset()
    }
    return (turn.operations, .abandoned)
  }

  /// Reads again, and saves. An edited object keeps its other values, so none of them is read.
  private func secondTurn(
    _ context: ManagedObjectContext, _ edited: Set<Register>, _ random: inout SeededGenerator
  ) throws -> ([Operation], UnitOfWork.Outcome?) {
    var turn = TurnRecorder(context, scope)
    let keeping = Set(own.filter { edited.contains(scope.register($0)) }.map(\.cell))
    for field in own where edited.contains(scope.register(field)) { try turn.read(field) }
    for field in fields where !keeping.contains(field.cell) && random.chance(3) {
      try turn.read(field)
      pause(&random)
    }
    return (turn.operations, try turn.save())
  }
}

/// Updates one object in a batch.
struct Batcher: Participant {
  let coordinator: PersistentStoreCoordinator
  let scope: Scope
  let own: [Field]

  mutating func work(
    _ name: String, versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> UnitOfWork {
    let version = versions.lowerBound
    guard let field = random.pick(own) else { preconditionFailure("a batcher has fields") }
    let number = field.cell
    let request = BatchUpdateRequest(Cell.where { $0.number == number })
    let start = now()
    if field.isLeft {
      try coordinator.execute(
        request.setting(\.left, to: version).setting(\.leftFormer) { $0.left })
    } else {
      try coordinator.execute(
        request.setting(\.right, to: version).setting(\.rightFormer) { $0.right })
    }
    return UnitOfWork(
      name, from: start, to: now(), [[.write(scope.register(field), version, over: nil)]])
  }
}

// MARK: - Carriers

/// Saves a context with children to the next level, and so brings their versions there.
///
/// A save includes pushes that arrive after it began, so the carrier does not know in advance which
/// versions it carries. It finds them one level up after the save: it is the only one that brings
/// versions of these cells there.
struct Carrier: Participant {
  let queue: ContextQueue
  /// The parent of `queue`.
  let parent: any ContextParent
  let scope: Scope
  /// The scope of the parent's children.
  let outside: Scope
  /// The fields of all contexts below.
  let fields: [Field]
  private var carried: [Field: Version] = [:]

  init(
    _ queue: ContextQueue, to parent: any ContextParent, scope: Scope, outside: Scope,
    fields: [Field]
  ) {
    (self.queue, self.parent, self.scope) = (queue, parent, scope)
    (self.outside, self.fields) = (outside, fields)
  }

  mutating func work(
    _ name: String, versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> UnitOfWork {
    let (parent, scope, outside, fields) = (parent, scope, outside, fields)
    let start = now()
    let (before, outcome, found) = try queue.performAndWait {
      context -> ([Operation], UnitOfWork.Outcome, [Version]) in
      var turn = TurnRecorder(context, scope)
      for field in fields { try turn.read(field) }
      let outcome = try turn.save()
      var above = TurnRecorder(ManagedObjectContext(parent: parent), outside)
      return (turn.operations, outcome, try fields.map { try above.read($0) })
    }
    var carrying: [Operation] = []
    for (field, version) in zip(fields, found) where outcome == .committed {
      carrying.append(.read(scope.register(field), version))
      let former = carried[field] ?? 0
      if version == former { continue }
      carrying.append(.write(outside.register(field), version, over: former))
      carried[field] = version
    }
    return UnitOfWork(name, from: start, to: now(), [before, carrying], outcome)
  }
}

// MARK: - Readers

/// Reads many fields in one turn of one of several contexts.
struct Reader: Participant {
  /// A context to read in.
  struct Place: Sendable {
    let queue: ContextQueue
    let scope: Scope
    /// Whether the context holds all objects and merges automatically. It hears of saves of other
    /// processes some time later, so its turns may show an older state, but one of a single moment.
    var isFollower = false
  }

  let places: [Place]
  let fields: [Field]

  mutating func work(
    _ name: String, versions: Range<Version>, _ random: inout SeededGenerator
  ) throws -> UnitOfWork {
    guard let place = random.pick(places) else { preconditionFailure("a reader has places") }
    let seed = random.next()
    let fields = fields
    let start = place.isFollower ? 0 : now()
    let read = try place.queue.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      var turn = TurnRecorder(context, place.scope)
      for field in fields.shuffled(using: &random) {
        try turn.read(field)
        pause(&random)
      }
      return turn.operations
    }
    return UnitOfWork(name, from: start, to: now(), [read])
  }
}
