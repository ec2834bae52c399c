// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// The main actor's contexts whose turn is open.
///
/// A main-actor turn has no block to end with. It ends when a job on the main actor runs that the
/// first access enqueued, or earlier: at `processPendingChanges`, at a save, and whenever the main
/// actor enters a queue, so that the queue's body sees its changes.
///
/// ## Invariants
/// - I1 At most one job that ends turns is enqueued. A program may work on the main actor for hours
///   without letting a job run, and its memory must not grow with the turns.
/// - I2 A context is in the list at most once, even if its turn ends earlier and another one
///   begins.
enum MainTurns {
  /// A context that is only ever touched on the main actor.
  // Safety: made, read and used only on the main actor; the weak reference itself is atomic.
  private struct MainContext: @unchecked Sendable {
    weak var context: ManagedObjectContext?
  }

  private struct Turns {
    var open: [MainContext] = []
    /// Those that are being ended, the next one first. An observer that enters a queue ends the
    /// rest.
    var ending: [MainContext] = []
    /// Whether a job is enqueued that ends them.
    var isEndEnqueued = false
  }

  private static let turns = CountedMutex(Turns())

  /// Has a job end the context's turn. The caller is on the main actor, and calls it once until the
  /// publisher's `endScheduledTurn` is called.
  static func scheduleEnd(of context: ManagedObjectContext) {
    let entry = MainContext(context: context)
    let isEnqueued = turns.withLock { turns in
      turns.open.append(entry)
      defer { turns.isEndEnqueued = true }
      return turns.isEndEnqueued
    }
    guard !isEnqueued else { return }
    enqueue {
      turns.withLock { $0.isEndEnqueued = false }
      endAll()
    }
  }

  /// Ends all open turns. The caller is on the main actor.
  static func endAll() {
    turns.withLock { turns in
      turns.ending += turns.open
      turns.open = []
    }
    while let next = turns.withLock({ $0.ending.isEmpty ? nil : $0.ending.removeFirst() }) {
      next.context?.publisher.endScheduledTurn()
    }
  }

  /// Enqueues a job on the main actor. It works for all that have asked for it since the last one,
  /// so it has the task-local values, and the trace, of none of them.
  private static func enqueue(_ job: @escaping @MainActor @Sendable () -> Void) {
    Task.detached(priority: Task.currentPriority) { @MainActor in job() }
  }

  /// Integrates children's saves in `context` when they come, on the main actor.
  static func integrateArrivals(of context: ManagedObjectContext) {
    let entry = MainContext(context: context)
    let integration = Integration(of: entry)
    let schedule: @Sendable () -> Void = { integration.schedule() }
    context.layer.onArrival(schedule)
    context.layer.onKeeperRequest { entry.context.map(MainContextKeeper.init) }
    context.merger.schedule = schedule
  }

  /// The job that integrates children's saves in a context. At most one is enqueued, however many
  /// saves come while the main actor is busy.
  ///
  /// ## Isolation
  /// Sendable: any thread may schedule it. The job runs on the main actor.
  private final class Integration: Sendable {
    private let entry: MainContext
    private let isEnqueued = Atomic(false)

    init(of entry: MainContext) { self.entry = entry }

    func schedule() {
      if isEnqueued.exchange(true, ordering: .sequentiallyConsistent) { return }
      MainTurns.enqueue { [self] in
        isEnqueued.store(false, ordering: .sequentiallyConsistent)
        entry.context?.publisher.integrateArrivals()
      }
    }
  }
}
