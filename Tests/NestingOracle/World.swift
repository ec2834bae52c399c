// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataChanges
import Synchronization

/// The same family of contexts twice: as promised, and the real one. Each step is done by both, and
/// their states are compared.
///
/// ## Isolation
/// Belongs to the thread that runs the sequence; contexts of other isolations are entered.
final class World {
  private enum Member {
    case queue(ContextQueue)
    case confined(ManagedObjectContext)
    /// In the isolation of its parent.
    case inner(ManagedObjectContext)
  }

  let setup: Setup
  let stage: Stage
  private(set) var oracle = ContextOracle()
  private var members: [Member] = []
  /// The objects that the program holds, by place and key.
  var held: [[Node?]]
  var ids: [ObjectID?] = Array(repeating: nil, count: ContextOracle.keyCount)
  var keys: [ObjectID: Int] = [:]
  /// The lists that each context has shown after the last step, by key.
  var lists = Array(repeating: [Int: [ObjectID]](), count: Place.allCases.count)
  /// The last value that was set: no value is set twice.
  private var value = 0
  #if DEBUG
    private var saving: Saving?
  #endif

  init(_ setup: Setup, on stage: Stage) throws {
    self.setup = setup
    self.stage = stage
    held = Array(
      repeating: Array(repeating: nil, count: ContextOracle.keyCount), count: Place.allCases.count)
    let first = try ContextQueue(parent: stage.container.coordinator).performAndWait { context in
      let id = Node(context: context).objectID
      try context.save()
      return id
    }
    ids[0] = first
    keys[first] = 0
    for place in Place.allCases { members.append(try member(place)) }
    for place in setup.undoable { oracle.recordsUndo(place) }
    oracle.automatic = setup.automatic
    oracle.checked = setup.checked
    for place in Place.allCases {
      try enter(place) { context in
        if setup.automatic.contains(place) { context.automaticallyMergesChangesFromParent = true }
        if setup.undoable.contains(place) {
          context.undoManager = ManagedObjectContext.UndoManager()
        }
        let policy = place.isRoot ? setup.policy : setup.checked[place]
        if let policy { context.mergePolicy = policy.mergePolicy }
      }
    }
  }

  private func member(_ place: Place) throws -> Member {
    let home = setup.home(place)
    guard let parent = place.parent else {
      let container = place == .rival ? stage.other : stage.container
      let coordinator = container.coordinator
      return home == .queue
        ? .queue(ContextQueue(parent: coordinator))
        : .confined(ManagedObjectContext(parent: coordinator))
    }
    if home == .inner {
      // Safety: the context is used in its parent's turns only, all on this thread.
      nonisolated(unsafe) var inner: ManagedObjectContext?
      try enter(parent) { inner = ManagedObjectContext(parent: $0) }
      if let inner { return .inner(inner) }
    }
    switch (members[parent.rawValue], home) {
    case (.queue(let queue), .queue): return .queue(ContextQueue(parent: queue))
    case (.queue(let queue), _): return .confined(ManagedObjectContext(parent: queue))
    case (.confined(let context), .queue), (.inner(let context), .queue):
      return .queue(ContextQueue(parent: context.layer))
    case (.confined(let context), _), (.inner(let context), _):
      return .confined(ManagedObjectContext(parent: context.layer))
    }
  }

  // MARK: - Turns

  /// Does something in a turn of its own.
  @discardableResult
  func enter<T: Sendable>(
    _ place: Place, _ body: (ManagedObjectContext) throws -> T
  ) throws -> T {
    switch members[place.rawValue] {
    case .queue(let queue):
      return try withoutActuallyEscaping(body) { body in
        // Safety: the queue calls it on this thread, before it returns.
        nonisolated(unsafe) let body = body
        return try queue.performAndWait { try body($0) }
      }
    case .confined(let context): return try turn(of: context, body)
    case .inner(let context):
      guard let parent = place.parent else { return try turn(of: context, body) }
      return try enter(parent) { _ in try turn(of: context, body) }
    }
  }

  private func turn<T>(
    of context: ManagedObjectContext, _ body: (ManagedObjectContext) throws -> T
  ) rethrows -> T {
    context.processPendingChanges()
    defer { context.processPendingChanges() }
    return try body(context)
  }

  func node(_ place: Place, _ key: Int, _ context: ManagedObjectContext) throws -> Node {
    if let node = held[place.rawValue][key], oracle.isHeld(place, key) { return node }
    guard let id = ids[key] else { throw Unknown(key: key) }
    return try context.object(Node.self, with: id)
  }

  struct Unknown: Error { var key: Int }

  // MARK: - Steps

  /// Does a step, and those that are joined to it, if they are possible now.
  ///
  /// - Returns: the difference from the promise afterwards; nil if there is none.
  func perform(_ operations: [Operation]) -> String? {
    var steps: [Step] = []
    // A push to a busy parent is integrated when its turn is over.
    let order =
      operations.indices.filter { operations[$0].name != .hand }
      + operations.indices.filter { operations[$0].name == .hand }
    for index in order where oracle.isPossible(operations[index]) {
      let operation = operations[index]
      if operation.name == .set { value += 1 }
      let outcome = oracle.perform(operation, value: value, policy: setup.policy)
      steps.append(Step(operation: operation, index: index, value: value, outcome: outcome))
    }
    steps.sort { $0.index < $1.index }
    guard let last = steps.last else { return nil }
    if Trace.isOn { Trace.print(steps.map(\.operation.description).joined(separator: " ")) }
    oracle.readFaults()
    for place in Place.allCases where setup.automatic.contains(place) && !oracle.isPinned(place) {
      oracle.merge(place, isAutomatic: true)
    }
    do {
      let complaint = try carryOut(steps, first: operations[0])
      forgetReleased()
      return try complaint ?? difference(after: last.operation)
    } catch {
      return "\(last.operation) throws \(error)"
    }
  }

  private struct Step {
    var operation: Operation
    /// Its place in the turn.
    var index: Int
    /// The value of `set`.
    var value: Int
    var outcome: ContextOracle.Outcome
  }

  private func carryOut(_ steps: [Step], first: Operation) throws -> String? {
    func complaint(_ step: Step, _ outcome: ContextOracle.Outcome) -> String? {
      outcome == step.outcome
        ? nil : "\(step.operation) ends as \(outcome), promised is \(step.outcome)"
    }
    switch first.name {
    case .begin: return complaint(steps[0], try beginSave(first.place))
    case .finish: return complaint(steps[0], try finishSave())
    case .through: return complaint(steps[0], try Self.outcome { try saveThrough(first.place) })
    case .hand:
      try handOver(first.place)
      return nil
    default:
      return try enter(first.place) { context in
        for step in steps {
          let operation = step.operation
          if operation.name == .hand {
            try handOver(operation.place)
            continue
          }
          let outcome =
            operation.place == first.place
            ? try carryOut(operation, value: step.value, in: context)
            : try enter(operation.place) {
              try carryOut(operation, value: step.value, in: $0)
            }
          if let complaint = complaint(step, outcome) { return complaint }
        }
        return nil
      }
    }
  }

  /// The program releases the objects that the promise no longer holds.
  private func forgetReleased() {
    for place in Place.allCases {
      for key in ContextOracle.keys where !oracle.isHeld(place, key) {
        held[place.rawValue][key] = nil
      }
    }
  }

  /// Saves a queue and its ancestors, which are queues.
  private func saveThrough(_ place: Place) throws {
    guard case .queue(let queue) = members[place.rawValue] else { return }
    let isDone = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Task {
      do {
        try await queue.save(to: .store)
      } catch {
        failure.withLock { $0 = (error as? AncestorSaveError)?.underlyingError ?? error }
      }
      isDone.signal()
    }
    isDone.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Saves to the parent on another thread, while the parent's turn goes on.
  private func handOver(_ place: Place) throws {
    guard case .queue(let queue) = members[place.rawValue] else { return }
    let isDone = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Thread {
      do {
        try queue.performAndWait { try $0.save() }
      } catch {
        failure.withLock { $0 = error }
      }
      isDone.signal()
    }.start()
    isDone.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  // MARK: - A save in two steps

  #if DEBUG
    /// A save of a queue that waits for the store's writer.
    private struct Saving {
      var lock: Stage.Lock
      var isDone = DispatchSemaphore(value: 0)
      let outcome = Outcome()

      final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
      }
    }

    /// - Returns: a conflict if a level has refused the save.
    private func beginSave(_ place: Place) throws -> ContextOracle.Outcome {
      guard case .queue(let queue) = members[place.rawValue] else { return .saved }
      let saving = Saving(lock: stage.lock())
      // The store has the changes, or the save has ended without.
      let hasBegun = DispatchSemaphore(value: 0)
      let schema = (place == .rival ? stage.other : stage.container).coordinator.schema
      PausePoint.observe(schema) { point in
        if case .sent = point { hasBegun.signal() }
      }
      Task { [outcome = saving.outcome, isDone = saving.isDone] in
        do {
          try await queue.save(to: .store)
          outcome.result.withLock { $0 = .success(()) }
        } catch {
          outcome.result.withLock {
            $0 = .failure((error as? AncestorSaveError)?.underlyingError ?? error)
          }
        }
        isDone.signal()
        hasBegun.signal()
      }
      hasBegun.wait()
      PausePoint.observe(schema, nil)
      self.saving = saving
      if case .failure = saving.outcome.result.withLock({ $0 }) { return try finishSave() }
      // Its first turn in the topmost context is over when another can begin.
      try enter(place.above.last ?? place) { _ in }
      return .saved
    }

    private func finishSave() throws -> ContextOracle.Outcome {
      guard let saving else { return .saved }
      self.saving = nil
      saving.lock.open()
      saving.isDone.wait()
      return try Self.outcome { try saving.outcome.result.withLock { $0 }?.get() }
    }
  #else
    private func beginSave(_ place: Place) throws -> ContextOracle.Outcome { .saved }
    private func finishSave() throws -> ContextOracle.Outcome { .saved }
  #endif

  /// Ends a save that a sequence has left under way.
  func close() {
    #if DEBUG
      _ = try? finishSave()
    #endif
  }

  static func outcome(_ save: () throws -> Void) throws -> ContextOracle.Outcome {
    do {
      try save()
      return .saved
    } catch StoreError.conflicts {
      return .conflict
    } catch StoreError.danglingLinks {
      return .conflict
    } catch StoreError.uniquenessViolations {
      return .conflict
    }
  }
}

extension Policy {
  var mergePolicy: MergePolicy {
    switch self {
    case .error: .error
    case .store: .mergeByPropertyStoreTrump
    case .object: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}
