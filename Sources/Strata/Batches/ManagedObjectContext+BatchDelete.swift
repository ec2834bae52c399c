// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

extension ManagedObjectContext {
  /// Executes a batch delete in the store, bypassing parent contexts, waits for the disk, and
  /// merges the result. Deleted objects of this context read as deleted, objectsDidChange and
  /// didMerge are posted, and the next fetch does not find the objects. Core Data: `execute(_:)`.
  ///
  /// The batch ignores unsaved changes in this context and its ancestors: it does not find an
  /// object that was never saved to the store. The merge drops an unsaved change of a deleted
  /// object, as any merge does. Ancestors and other contexts are notified, as of any save to the
  /// store.
  ///
  /// During a `withSavepoint { }`, or while the context is pinned to a query generation, the result
  /// is not merged until the savepoint or the pin has ended. A rollback, an undo, or an error that
  /// `withSavepoint { }` throws does not revert a batch.
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
  /// Executes a batch delete in the store, and merges the result in the context. The queue can run
  /// other closures while the store works.
  ///
  /// - Parameters:
  ///   - request: the objects to delete.
  ///   - isolation: the caller's actor, which the default passes.
  ///   - progress: called repeatedly during the batch, on the store's writing thread; it must be
  ///     short.
  /// - Throws: as `PersistentStoreCoordinator.execute(_:isolation:progress:)`.
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
