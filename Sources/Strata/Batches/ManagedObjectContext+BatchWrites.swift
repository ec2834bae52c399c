// SPDX-License-Identifier: Apache-2.0
import StrataChanges

extension ManagedObjectContext {
  /// Inserts an object in the store for each row of a sequence, bypassing parent contexts, waits
  /// for the disk, and merges the result, as `execute(_:)` does for a batch delete.
  ///
  /// - Parameters:
  ///   - request: the entity to insert objects of, and the settings of the batch.
  ///   - rows: the rows, from each of which one object is made. They are taken once, in order.
  ///   - progress: called after every few thousand rows and after each commit, on the store's
  ///     writing thread; it must be short.
  ///   - fill: sets the properties of a row's object. It runs while the store writes: it must not
  ///     use the context.
  /// - Throws: as `PersistentStoreCoordinator.execute(_:rows:progress:fill:)`, and any error of
  ///   reading a property since the last call.
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) throws -> BatchInsertResult {
    try withoutActuallyEscaping(fill) { fill in
      var feed = RowFeed(rows, skipping: request.options.skipCount)
      return try coordinator.insert(request.options, progress, for: self) {
        try feed.setNext(in: $0, with: fill)
      }
    }
  }

  /// Inserts an object in the store for each dictionary of a sequence, bypassing parent contexts,
  /// waits for the disk, and merges the result, as `execute(_:)` does for a batch delete.
  ///
  /// - Parameters:
  ///   - request: the entity to insert objects of, and the settings of the batch.
  ///   - dictionaries: the rows: names of properties with their values, as in
  ///     `PersistentStoreCoordinator.execute(_:dictionaries:progress:)`.
  ///   - progress: called after every few thousand rows and after each commit, on the store's
  ///     writing thread; it must be short.
  /// - Throws: as `PersistentStoreCoordinator.execute(_:dictionaries:progress:)`, and any error of
  ///   reading a property since the last call.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchInsertRequest<Root>, dictionaries: some Sequence<[String: Any?]>,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) throws -> BatchInsertResult {
    var feed = RowFeed(dictionaries, skipping: request.options.skipCount)
    return try coordinator.insert(request.options, progress, for: self) {
      feed.setNext(in: $0)
    }
  }

  /// Updates objects in the store, bypassing parent contexts, waits for the disk, and merges the
  /// result. Objects of this context get the new values. An unsaved change of the same property
  /// stays on top of the new value, as after any merge, and the next save writes it.
  ///
  /// - Parameters:
  ///   - request: the objects to update, and their new values.
  ///   - progress: called after every few thousand objects and after each commit, on the store's
  ///     writing thread; it must be short.
  /// - Throws: as `PersistentStoreCoordinator.execute(_:progress:)`, and any error of reading a
  ///   property since the last call.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchUpdateRequest<Root>, progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) throws -> BatchUpdateResult {
    let turn = try BatchTurn(in: self)
    let update = try BatchUpdate(request, in: coordinator.schema)
    let run = coordinator.run(
      update, author: request.transactionAuthor, progress, for: turn.caller)
    try run.perform(turn.takeOver)
    return update.result
  }
}

extension ContextQueue {
  /// Inserts an object in the store for each row of a sequence, and merges the result in the
  /// context. The queue can run other closures while the store works.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:rows:isolation:progress:fill:)`.
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult {
    var feed = RowFeed(rows, skipping: request.options.skipCount)
    return try await coordinator.insert(request.options, progress, for: self) {
      try feed.setNext(in: $0, with: fill)
    }
  }

  /// Inserts an object in the store for each dictionary of a sequence, and merges the result in the
  /// context. The queue can run other closures while the store works.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:dictionaries:isolation:progress:)`.
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence<[String: Any?]>>(
    _ request: BatchInsertRequest<Root>, dictionaries: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchInsertResult {
    var feed = RowFeed(dictionaries, skipping: request.options.skipCount)
    return try await coordinator.insert(request.options, progress, for: self) {
      feed.setNext(in: $0)
    }
  }

  /// Inserts an object in the store for each row of an asynchronous sequence, and merges the result
  /// in the context. All rows, or the rows of one transaction, are collected before the store
  /// begins to write them.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:rows:isolation:progress:fill:)`.
  @discardableResult
  public func execute<Root: Entity, Rows: AsyncSequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult where Rows.Element: Sendable {
    try await coordinator.insert(request, rows, progress, fill, for: self)
  }

  /// Updates objects in the store, and merges the result in the context. The queue can run other
  /// closures while the store works.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:isolation:progress:)`.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchUpdateRequest<Root>, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchUpdateResult {
    let caller = try await beginBatch()
    let update = try BatchUpdate(request, in: coordinator.schema)
    let run = coordinator.run(
      update, author: request.transactionAuthor, progress, for: caller)
    try await run.perform { try await takeOver($0) }
    return update.result
  }

  @usableFromInline var coordinator: PersistentStoreCoordinator { place.coordinator }

  func beginBatch(
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> BatchCaller {
    if isolation === MainActor.shared { MainTurns.endAll() }
    return try await perform {
      BatchCaller($0)
    }
  }

  /// Merges a transaction in the context, even if the task was cancelled: the store has written it.
  func takeOver(
    _ outcome: BatchOutcome, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    if isolation === MainActor.shared { MainTurns.endAll() }
    try await run(isCancellable: false) { BatchTurn.takeOver(outcome, in: $0) }
  }
}
