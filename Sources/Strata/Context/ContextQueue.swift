// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
package import StrataPrimitives
import Synchronization

/// A managed object context with a queue of its own: work on it is done in blocks, one after the
/// other, in the order of asking; threads that block in `performAndWait` go before tasks that are
/// suspended in `perform`. Core Data: a context of the private-queue concurrency type.
///
/// A block gets the context, and whatever it reaches through it cannot leave the block: the
/// compiler refuses. It returns values, IDs, or whatever is `Sendable`. A block is synchronous and
/// one turn: children and observers see all of it or nothing.
///
/// ## Isolation
/// `Sendable`. The context is touched only by the holder of the lock.
public final class ContextQueue: ContextParent, ContextEntrance {
  // Safety: reached only while `lock` is held, or in `deinit`.
  nonisolated(unsafe) let context: ManagedObjectContext
  private let lock = QueueLock()
  /// A child's save has come in since the last turn began.
  private let hasArrivals = Atomic(false)
  /// A task waits for the queue in order to integrate pushes of children.
  private let isIntegrationScheduled = Atomic(false)

  /// The layer of the queue's context: the subject of its notifications.
  public let layer: ContextLayer

  public var place: _ContextPlace { layer.place }

  /// Makes a context below `parent`, with a queue of its own.
  public init(parent: some ContextParent) {
    context = ManagedObjectContext(
      place: parent.place, confinement: .queue, sameIsolationParent: nil)
    layer = context.layer
    layer.onArrival { [weak self] in self?.noteArrival() }
    layer.onKeeperRequest { [weak self] in self }
    context.merger.schedule = { [weak self] in self?.noteArrival() }
  }

  /// Runs `body` with the context, after the blocks that were submitted before it. The calling task
  /// is suspended until then, no thread is blocked. Core Data: `perform(_:)`.
  ///
  /// The call itself submits the block: a task on the main actor or on another actor gets its place
  /// in line before it leaves the actor.
  ///
  /// The body runs on the task's thread, at the task's priority: a queue has none of its own. Tasks
  /// run in the order of submission, whatever their priority. A waiting task does not raise the
  /// priority of the running body, so a long body at low priority keeps a task of high priority
  /// waiting. (Keep bodies short, or run them in a context of their own: others read past it.)
  ///
  /// When the body ends, by returning or by throwing, the turn ends; unsaved changes stay pending.
  /// A call from the main actor ends the main actor's turn first, so that the body sees the changes
  /// of the view context.
  ///
  /// - Returns: the body's result; a managed object cannot be returned.
  /// - Throws: the body's errors, and `CancellationError` if the task is cancelled before the body
  ///   begins.
  @discardableResult
  public func perform<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    if isolation === MainActor.shared { MainTurns.endAll() }
    return try await run(at: placeInLine(of: isolation), body)
  }

  /// Runs `body` with the context, after the blocks that were submitted before it, and waits for
  /// it. Core Data: `performAndWait(_:)`.
  ///
  /// The body runs on the calling thread, at its priority.
  ///
  /// Calls nest: inside a body of this queue the body runs at once, as part of the same turn; and a
  /// parent and a child may be entered in any order within one thread.
  ///
  /// - Important: It blocks the thread while other blocks run. In async code use `perform`.
  /// - Throws: the body's errors, and `ContextError.wouldDeadlock` if waiting would never end.
  @discardableResult
  public func performAndWait<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) throws -> sending T {
    if isolation === MainActor.shared { MainTurns.endAll() }
    if ThreadFrames.isInside(self) {
      // Safety: this thread holds the lock further up its stack.
      nonisolated(unsafe) let result = try body(context)
      return result
    }
    try lock.acquireBlocking()
    return try runTurn(body)
  }

  /// Saves the context's changes to its parent, one level up. If the parent is the store, the queue
  /// is released during the write, and other blocks run.
  ///
  /// - Throws: as `ManagedObjectContext.save()`.
  public func save(isolation: isolated (any Actor)? = #isolation) async throws {
    try await save(isCancellable: true, isolation: isolation)
  }

  /// Saves the context's changes one level up, as `save()`, or through all ancestors to the disk.
  ///
  /// With `.store`, the unsaved changes of this context and of all its ancestors become durable in
  /// one commit, or none of them. Each context in order is entered, prepares its changes, and is
  /// left before the next one is entered; no queue is held while waiting for another, or for the
  /// disk. Before the commit no other context shows them. The ancestors then merge the changes from
  /// below, as another commit.
  ///
  /// If the task is cancelled before this context's save begins, nothing is saved. After that the
  /// save continues to the disk even if the task is cancelled.
  ///
  /// If it throws, nothing is saved: all contexts have the unsaved changes that they had, and those
  /// of others can be saved.
  ///
  /// - Throws: `ContextError.ancestorUnreachable` and `CancellationError`; the errors of
  ///   `ManagedObjectContext.save()`; `AncestorSaveError`, if the cause is in an ancestor's own
  ///   unsaved changes.
  public func save(
    to destination: SaveDestination, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard destination == .store, layer.parent != nil else {
      return try await save(isCancellable: true, isolation: isolation)
    }
    let levels = try SavedLevels(from: self)
    if isolation === MainActor.shared { MainTurns.endAll() }
    let (whole, place) = (ThroughSave(), placeInLine(of: isolation))
    let earlier = try await run(isCancellable: true, at: place) {
      try $0.saving.join(whole, level: 0)
    }
    try await levels.save(whole, after: earlier, isolation: isolation)
  }

  func enter<T: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T {
    try await run(isCancellable: false) { try body($0) }
  }

  private func save(
    isCancellable: Bool, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    if isolation === MainActor.shared { MainTurns.endAll() }
    let place = placeInLine(of: isolation)
    guard
      let save = try await run(
        isCancellable: isCancellable, at: place, { try $0.saving.beginSave() })
    else { return }
    await save.finished()
    // The store has the changes even if the task was cancelled during the write.
    if isolation === MainActor.shared { MainTurns.endAll() }
    try await run(isCancellable: false) { try $0.saving.finish(save) }
  }

  /// How often and how long callers have waited for others' blocks to end, since the queue was
  /// made.
  package var waits: LockWaits { lock.waits }

  // MARK: - Turns

  /// The place in line of a caller that has to leave an actor before it can wait, taken at once;
  /// nil for a caller that is on no actor and lines up when it waits.
  private func placeInLine(of isolation: (any Actor)?) -> QueueLock.Place? {
    isolation == nil ? nil : lock.lineUp()
  }

  /// Runs `body` as one turn, on a thread that belongs to no actor.
  ///
  /// - Parameter place: the caller's place in line; nil if it has none yet.
  nonisolated func run<T>(
    isCancellable: Bool = true, at place: QueueLock.Place? = nil,
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    if let place { await lock.acquire(at: place) } else { await lock.acquire() }
    if isCancellable && Task.isCancelled {
      leave()
      throw CancellationError()
    }
    return try runTurn(body)
  }

  /// One turn by the holder of the lock, which is handed on at the end.
  private func runTurn<T>(
    _ body: (ManagedObjectContext) throws -> sending T
  ) throws -> sending T {
    defer { leave() }
    // Safety: the body's result is `sending`: no part of the context's region.
    nonisolated(unsafe) let result = try ThreadFrames.enter(self) {
      hasArrivals.store(false, ordering: .sequentiallyConsistent)
      context.reader.ancestorInThisIsolation?.publisher.endTurnForChild()
      context.publisher.integrateArrivals()
      defer { context.publisher.endTurn() }
      return try body(context)
    }
    return result
  }

  /// Hands the lock on, and sees to saves that arrived during the turn.
  private func leave() {
    lock.release()
    if hasArrivals.load(ordering: .sequentiallyConsistent) { scheduleIntegration() }
  }

  // MARK: - Children's saves

  /// Has `handler` called with this queue after each save of a child into its context, on the
  /// saver's thread. Called once at most.
  func onArrival(_ handler: @escaping @Sendable (ContextQueue) -> Void) {
    layer.onArrival { [weak self] in
      guard let self else { return }
      noteArrival()
      handler(self)
    }
  }

  private func noteArrival() {
    hasArrivals.store(true, ordering: .sequentiallyConsistent)
    scheduleIntegration()
  }

  /// Integrates a child's save in a turn of its own, even if nothing else uses this context, so
  /// that its objects and observers are updated. If the queue is busy, the turn under way
  /// integrates it.
  ///
  /// There is one such task at a time. With one for each save, a queue with busy children would
  /// have hundreds of waiting tasks with nothing to do, and other callers behind them. Pushes that
  /// arrive after the task has integrated the rest are handled by `leave`.
  ///
  /// It is detached, because it is part of no saver's work: it integrates the saves of several, and
  /// its spans and observers must not have the trace and the task-local values of the first. Its
  /// priority is that saver's all the same, as it would be if it were not detached.
  private func scheduleIntegration() {
    if isIntegrationScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    Task.detached(priority: Task.currentPriority) { [weak self] in
      // A turn that began in between has integrated everything: mostly the saver's next one.
      guard let self, hasToIntegrate() else { return }
      try? await run { [weak self] _ in
        self?.isIntegrationScheduled.store(false, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Whether the scheduled task still has something to integrate. If not, it is no longer the one
  /// that does it.
  private func hasToIntegrate() -> Bool {
    isIntegrationScheduled.store(false, ordering: .sequentiallyConsistent)
    return hasArrivals.load(ordering: .sequentiallyConsistent)
      && !isIntegrationScheduled.exchange(true, ordering: .sequentiallyConsistent)
  }
}
