// SPDX-License-Identifier: Apache-2.0

extension PersistentStoreCoordinator {
  /// Updates objects and waits for the disk. Core Data: `execute(_:with:)`.
  ///
  /// - Important: It blocks the thread as long as the batch takes. In async code use the
  ///   asynchronous call, which can be cancelled.
  /// - Parameters:
  ///   - request: the objects to update, and their new values.
  ///   - progress: called after every few thousand objects, on the store's writing thread; it must
  ///     be short.
  /// - Throws: `BatchInterruption` from a batch with `committing(every:)`;
  ///   `ContextError.unknownEntity`, `.foreignObjectID` and `QueryError` for an invalid request;
  ///   `QueryError.unfitAssignment` for a calculated value that does not fit its attribute;
  ///   `ContextError.validationFailed`; `StoreError.uniquenessViolations`, `.danglingLinks` for a
  ///   target that does not exist, and other cases of `StoreError`. After an error nothing is
  ///   updated, except by earlier transactions.
  /// - Complexity: O(objects + their index entries that change), each in O(log objects).
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchUpdateRequest<Root>, progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) throws -> BatchUpdateResult {
    let update = try BatchUpdate(request, in: schema)
    try run(update, author: request.transactionAuthor, progress, for: nil).perform()
    return update.result
  }

  /// Updates objects, off the caller's thread.
  ///
  /// Later saves wait for the batch, as for any save; readers do not wait. When the task is
  /// cancelled, the batch ends within a few thousand objects, and nothing is updated, except by
  /// earlier transactions.
  ///
  /// - Throws: as the blocking call, and `CancellationError`.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchUpdateRequest<Root>, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchUpdateResult {
    let update = try BatchUpdate(request, in: schema)
    try await run(update, author: request.transactionAuthor, progress, for: nil).perform()
    return update.result
  }
}
