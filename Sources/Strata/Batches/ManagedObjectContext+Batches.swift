// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

extension ManagedObjectContext {
  /// Executes a batch in the store, past all contexts in between, waits for the disk, and merges
  /// the result: deleted objects of this context read as deleted, objectsDidChange and didMerge are
  /// posted, and the next fetch does not find them. Core Data: `execute(_:)`.
  ///
  /// Unsaved changes here and in the contexts above are ignored as everywhere: an object that was
  /// never saved to the store is not found, and an unsaved change of a deleted object is dropped
  /// here, as by any merge. Contexts above, and others, are notified as of any save to the store.
  ///
  /// During a `withSavepoint { }`, or in a context that is pinned to a query generation, the result
  /// is merged after that has ended. No rollback, no undo and no throw out of a `withSavepoint { }`
  /// reverts a batch.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:)`, and any error of reading a property
  ///   since the last call.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
    try reporter.throwDeferredError()
    let batch = try PreparedBatchDelete(
      request, in: coordinator, reportsKeys: true, author: transactionAuthor, contextName: name)
    // Edits during a save under way are no part of that save.
    work.encodeEdits()
    saving.finishPendingSave()
    let outcome = try batch.perform()
    takeOver(outcome)
    return batch.result(outcome)
  }

  /// Merges the result of a batch, which this context has to merge too.
  func takeOver(_ outcome: BatchOutcome) {
    guard let keys = outcome.keys, !keys.isEmpty else { return }
    work.encodeEdits()
    publisher.announceTurn()
    // As after a save, a new unit of work begins; also in a context in whose turn this one runs.
    var next: ManagedObjectContext? = self
    while let context = next {
      context.work.view = nil
      next = context.reader.parentInThisIsolation
    }
    // A context that merges automatically finds it in the feed.
    if !merger.isAutomatic { merger.owed.append(GatheredEvents(keys)) }
    do { _ = try reader.currentView() } catch { reporter.note(error) }
    reporter.announceMerges()
  }
}

extension ContextQueue {
  /// Executes a batch in the store as the context's `execute(_:)`. The queue is released while the
  /// store works, and other blocks run.
  ///
  /// - Parameter progress: called now and then, on the store's writing thread, with the progress;
  ///   it must be short.
  /// - Throws: as the coordinator's call.
  @discardableResult
  public func execute(
    _ request: BatchDeleteRequest, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchDeleteResult {
    if isolation === MainActor.shared { MainTurns.endAll() }
    let batch = try PreparedBatchDelete(
      request, in: place.coordinator, reportsKeys: true, progress: progress)
    let outcome = try await batch.perform()
    // The store has executed the batch even if the task was cancelled during the write.
    if isolation === MainActor.shared { MainTurns.endAll() }
    try await run(isCancellable: false) { $0.takeOver(outcome) }
    return batch.result(outcome)
  }
}
