// SPDX-License-Identifier: Apache-2.0
extension PersistentStoreCoordinator {
  /// Executes a batch delete and waits for the disk. Core Data: `execute(_:with:)`.
  ///
  /// - Important: It blocks the thread as long as the batch takes. In async code use the
  ///   asynchronous call, which can be cancelled.
  /// - Throws: after an error nothing is deleted: `ContextError.deleteDenied` and
  ///   `.validationFailed`, if rules of the model forbid it; `ContextError.unknownEntity`,
  ///   `.foreignObjectID` and `QueryError` for an invalid request; `StoreError`, among others
  ///   `.damaged` for a damaged record that it has to read.
  /// - Complexity: O(pages) if the objects need not be read; else O(objects + their index entries
  ///   and links), each in O(log objects).
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
    let batch = try PreparedBatchDelete(request, in: self)
    return batch.result(try batch.perform())
  }

  /// Executes a batch delete off the caller's thread.
  ///
  /// Later saves wait for it, as for any save; no reader does. When the task is cancelled, it ends
  /// within a few hundred objects and nothing is deleted, unless it is being committed already.
  ///
  /// - Parameter progress: called now and then, on the store's writing thread, with the progress;
  ///   it must be short.
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
