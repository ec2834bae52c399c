// SPDX-License-Identifier: Apache-2.0
extension PersistentStoreCoordinator {
  /// Executes a batch delete and waits for the disk. Core Data: `execute(_:with:)`.
  ///
  /// - Important: It blocks the thread as long as the batch takes. In async code use the
  ///   asynchronous call, which can be cancelled.
  /// - Throws: `ContextError.deleteDenied` and `.validationFailed` if rules of the model forbid the
  ///   deletion; `ContextError.unknownEntity`, `.foreignObjectID` and `QueryError` for an invalid
  ///   request; `StoreError`, such as `.damaged` for a damaged record that the batch has to read.
  ///   After an error nothing is deleted.
  /// - Complexity: O(pages) if the objects need not be read; else O(objects + their index entries
  ///   and links), each in O(log objects).
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
    let batch = try PreparedBatchDelete(request, in: self)
    return batch.result(try batch.perform())
  }

  /// Executes a batch delete off the caller's thread.
  ///
  /// Later saves wait for the batch, as for any save; readers do not wait. When the task is
  /// cancelled, the batch ends within a few hundred objects and deletes nothing, unless its commit
  /// has begun.
  ///
  /// - Parameters:
  ///   - request: the objects to delete.
  ///   - isolation: the caller's actor, which the default passes.
  ///   - progress: called repeatedly during the batch, on the store's writing thread; it must be
  ///     short.
  /// - Throws: as the blocking call, and `CancellationError`.
  @discardableResult
  public func execute(
    _ request: BatchDeleteRequest, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchDeleteResult {
    let batch = try PreparedBatchDelete(request, in: self, progress: progress)
    return batch.result(try await batch.perform())
  }
}
