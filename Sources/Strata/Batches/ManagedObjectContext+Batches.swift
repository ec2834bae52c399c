// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

extension ManagedObjectContext {
  /// Carries a batch out in the store, whatever contexts lie between, waits for the disk, and takes it
  /// over: what the context has of the deleted objects reads as deleted, objectsDidChange and didMerge
  /// are posted, and the next fetch does not find them. Core Data: `execute(_:)`.
  ///
  /// What is unsaved here and in the contexts above counts as little as elsewhere: an object that was
  /// never saved to the store is not found, and an unsaved change of one that is gone is dropped here, as
  /// by any merge. Contexts above, and others, hear of it as of any save to the store.
  ///
  /// In the middle of an `edit { }`, or in a context that is pinned to a query generation, it is taken
  /// over when that has ended. No rollback, no undo and no throw out of an `edit { }` takes a batch back.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:)`, and any error that reading a property met
  ///   since the last call.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
    try reporter.throwDeferredError()
    let batch = try PreparedBatchDelete(request, in: coordinator, reportsKeys: true)
    // What was edited while a save was under way is none of what that has saved.
    work.encodeEdits()
    saving.finishPendingSave()
    let outcome = try batch.perform()
    takeOver(outcome)
    return batch.result(outcome)
  }

  /// Merges what a batch has done, which is no news for nobody but this context.
  func takeOver(_ outcome: BatchOutcome) {
    guard let keys = outcome.keys, !keys.isEmpty else { return }
    work.encodeEdits()
    publisher.announceTurn()
    // As after a save, a new unit of work begins; that of a context in whose turn this one runs too.
    var next: ManagedObjectContext? = self
    while let context = next {
      context.work.view = nil
      next = context.reader.parentInThisIsolation
    }
    // A context that merges automatically finds it in the feed.
    if !merger.isAutomatic { merger.owed.append(GatheredNews(keys)) }
    do { _ = try reader.currentView() } catch { reporter.note(error) }
    reporter.announceMerges()
  }
}

extension ContextQueue {
  /// Carries a batch out in the store as the context's `execute(_:)`. The queue is given up while the
  /// store works, and other blocks run meanwhile.
  ///
  /// - Parameter progress: as that of the coordinator's call.
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
    // Also if the task was cancelled meanwhile: the disk has it.
    if isolation === MainActor.shared { MainTurns.endAll() }
    try await run(isCancellable: false) { $0.takeOver(outcome) }
    return batch.result(outcome)
  }
}
