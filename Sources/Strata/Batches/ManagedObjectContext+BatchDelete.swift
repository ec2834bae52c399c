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
    let turn = try BatchTurn(in: self)
    let batch = try PreparedBatchDelete(request, in: coordinator, for: turn.caller)
    let outcome = try batch.perform()
    turn.takeOver(outcome)
    return batch.result(outcome)
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
    let caller = try await beginBatch()
    let batch = try PreparedBatchDelete(
      request, in: place.coordinator, for: caller, progress: progress)
    let outcome = try await batch.perform()
    try await takeOver(outcome)
    return batch.result(outcome)
  }
}
