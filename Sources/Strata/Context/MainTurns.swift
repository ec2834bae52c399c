// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The main actor's contexts whose turn is open.
///
/// A main-actor turn has no block to end with. It ends when a job on the main actor runs that the
/// first access enqueued, or earlier: at `processPendingChanges`, at a save, and whenever the main
/// actor enters a queue, so that the queue's body sees its changes.
enum MainTurns {
  /// A context that is only ever touched on the main actor.
  // Safety: made, read and used on the main actor alone; the weak reference itself is atomic.
  private struct MainContext: @unchecked Sendable {
    weak var context: ManagedObjectContext?
  }

  private static let open = CountedMutex<[MainContext]>([])

  /// Enqueues the end of the context's turn. The caller is on the main actor.
  static func scheduleEnd(of context: ManagedObjectContext) {
    let entry = MainContext(context: context)
    open.withLock { $0.append(entry) }
    Task { @MainActor in endAll() }
  }

  /// Ends all open turns. The caller is on the main actor.
  static func endAll() {
    let ending = open.withLock { open in
      defer { open = [] }
      return open
    }
    for entry in ending { entry.context?.publisher.endTurn() }
  }

  /// Integrates children's saves in `context` when they come, on the main actor.
  static func integrateArrivals(of context: ManagedObjectContext) {
    let entry = MainContext(context: context)
    let schedule: @Sendable () -> Void = {
      Task { @MainActor in entry.context?.publisher.integrateArrivals() }
    }
    context.layer.onArrival(schedule)
    context.layer.onKeeperRequest { entry.context.map(MainContextKeeper.init) }
    context.merger.schedule = schedule
    context.layer.onSaveRequest {
      guard let keeper = entry.context.map(MainContextKeeper.init) else { return nil }
      return { @MainActor level in
        try await keeper.context.save(atLevel: level, isolation: MainActor.shared)
      }
    }
  }
}
