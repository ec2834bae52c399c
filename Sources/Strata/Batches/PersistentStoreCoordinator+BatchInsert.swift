// SPDX-License-Identifier: Apache-2.0

extension PersistentStoreCoordinator {
  /// Inserts an object for each row of a sequence and waits for the disk. Core Data:
  /// `execute(_:with:)`, `init(entity:managedObjectHandler:)`.
  ///
  /// The store takes rows from the sequence and calls `fill` while it writes. The sequence and
  /// `fill` must not save to the store or insert objects into its contexts. Later saves wait until
  /// the batch has ended.
  ///
  /// - Important: It blocks the thread as long as the batch takes. In async code use the
  ///   asynchronous call, which can be cancelled.
  /// - Parameters:
  ///   - request: the entity to insert objects of, and the settings of the batch.
  ///   - rows: the rows, from each of which one object is made. They are taken once, in order.
  ///   - fill: sets the properties of a row's object.
  ///   - progress: called after every few thousand rows, on the store's writing thread; it must be
  ///     short.
  ///
  /// Calls in `rows` and `fill` that would wait for the store's writer throw
  /// `StoreError.wouldDeadlock`.
  ///
  /// - Throws: `BatchRowError` for an error that concerns one row, with the row's number;
  ///   `BatchInterruption` from a batch with `committing(every:)`; `ContextError.unknownEntity` and
  ///   `.noUniquenessConstraint` for an invalid request; `ContextError.validationFailed` and
  ///   `StoreError.uniquenessViolations` for errors that concern several rows together; other cases
  ///   of `StoreError`. After an error nothing is inserted, except by earlier transactions.
  /// - Complexity: O(rows + their index entries and links), each in O(log objects).
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) throws -> BatchInsertResult {
    try withoutActuallyEscaping(fill) { fill in
      var feed = RowFeed(rows, skipping: request.options.skipCount)
      return try insert(request.options, progress) { try feed.setNext(in: $0, with: fill) }
    }
  }

  /// Inserts an object for each dictionary of a sequence and waits for the disk. Core Data:
  /// `init(entity:objects:)`.
  ///
  /// The keys are names of properties. The value of an attribute has the property's type, or is the
  /// raw value of a case of its enum. The value of a to-one relationship is an `ObjectID`, and the
  /// value of a to-many relationship is an array of `ObjectID`. Each value can be nil.
  ///
  /// - Throws: as `execute(_:rows:progress:fill:)`. A key that is not the name of a
  ///   property (`QueryError.unknownKey`), or a value that does not fit its property, is the
  ///   underlying error of a `BatchRowError`.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchInsertRequest<Root>, dictionaries: some Sequence<[String: Any?]>,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) throws -> BatchInsertResult {
    var feed = RowFeed(dictionaries, skipping: request.options.skipCount)
    return try insert(request.options, progress) { feed.setNext(in: $0) }
  }

  /// Inserts an object for each row of a sequence, off the caller's thread.
  ///
  /// Later saves wait for the batch, as for any save; readers do not wait. When the task is
  /// cancelled, the batch ends within a few thousand rows, and nothing is inserted, except by
  /// earlier transactions.
  ///
  /// - Throws: as the blocking call, and `CancellationError`.
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult {
    var feed = RowFeed(rows, skipping: request.options.skipCount)
    return try await insert(request.options, progress, for: nil) {
      try feed.setNext(in: $0, with: fill)
    }
  }

  /// Inserts an object for each dictionary of a sequence, off the caller's thread.
  ///
  /// - Throws: as the blocking call, and `CancellationError`.
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence<[String: Any?]>>(
    _ request: BatchInsertRequest<Root>, dictionaries: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchInsertResult {
    var feed = RowFeed(dictionaries, skipping: request.options.skipCount)
    return try await insert(request.options, progress, for: nil) { feed.setNext(in: $0) }
  }

  /// Inserts an object for each row of an asynchronous sequence.
  ///
  /// The store never waits for rows: all rows, or the rows of one transaction, are collected in
  /// memory before the store begins to write them. Therefore `committing(every:)` limits the
  /// memory.
  ///
  /// - Throws: as the call with a sequence, and the errors of the asynchronous sequence.
  @discardableResult
  public func execute<Root: Entity, Rows: AsyncSequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult where Rows.Element: Sendable {
    try await insert(request, rows, progress, fill, for: nil)
  }
}
