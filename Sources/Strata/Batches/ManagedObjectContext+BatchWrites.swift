// SPDX-License-Identifier: Apache-2.0
import StrataChanges

extension ManagedObjectContext {
  /// Inserts an object for each row of a sequence in the store, past all contexts in between, waits
  /// for the disk, and merges the result, as `execute(_:)` does for a batch delete.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:rows:progress:fill:)`, and any error of
  ///   reading a property since the last call.
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    fill: (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) throws -> BatchInsertResult {
    try withoutActuallyEscaping(fill) { fill in
      var iterator = rows.makeIterator()
      for _ in 0..<request.options.skipCount where iterator.next() == nil { break }
      return try coordinator.insert(request.options, nil, for: self) { row in
        guard let next = iterator.next() else { return false }
        var typed = BatchRow<Root>(row)
        try fill(&typed, next)
        return true
      }
    }
  }

  /// Updates objects in the store, past all contexts in between, waits for the disk, and merges the
  /// result: objects of this context have the new values, unless they have unsaved changes of the
  /// same properties, which are a conflict at the next save.
  ///
  /// - Throws: as `PersistentStoreCoordinator.execute(_:progress:)`, and any error of reading a
  ///   property since the last call.
  @discardableResult
  public func execute<Root: Entity>(
    _ request: BatchUpdateRequest<Root>
  ) throws -> BatchUpdateResult {
    let turn = try BatchTurn(in: self)
    let update = try BatchUpdate(request, in: coordinator.schema)
    let run = coordinator.run(update, author: request.transactionAuthor, nil, for: turn.caller)
    try run.perform(turn.takeOver)
    return update.result
  }
}

extension ContextQueue {
  /// Inserts an object for each row of a sequence in the store, and merges the result in the
  /// context. The queue is released while the store works, and other blocks run.
  ///
  /// - Throws: as the coordinator's call.
  @inlinable
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence>(
    _ request: BatchInsertRequest<Root>, rows: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult {
    var iterator = rows.makeIterator()
    for _ in 0..<request.options.skipCount where iterator.next() == nil { break }
    return try await coordinator.insert(request.options, progress, for: self) { row in
      guard let next = iterator.next() else { return false }
      var typed = BatchRow<Root>(row)
      try fill(&typed, next)
      return true
    }
  }

  /// Inserts an object for each dictionary of a sequence in the store, and merges the result in the
  /// context. The queue is released while the store works, and other blocks run.
  ///
  /// - Throws: as the coordinator's call.
  @discardableResult
  public func execute<Root: Entity, Rows: Sequence<[String: Any?]>>(
    _ request: BatchInsertRequest<Root>, dictionaries: sending Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) async throws -> BatchInsertResult {
    var iterator = dictionaries.makeIterator()
    for _ in 0..<request.options.skipCount where iterator.next() == nil { break }
    return try await coordinator.insert(request.options, progress, for: self) { row in
      guard let next = iterator.next() else { return false }
      row.set(next)
      return true
    }
  }

  /// Inserts an object for each row of an asynchronous sequence in the store, and merges the result
  /// in the context. The rows are collected as the coordinator's call does.
  ///
  /// - Throws: as the coordinator's call.
  @discardableResult
  public func execute<Root: Entity, Rows: AsyncSequence>(
    _ request: BatchInsertRequest<Root>, rows: Rows,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BatchProgress) -> Void)? = nil,
    fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) async throws -> BatchInsertResult where Rows.Element: Sendable {
    try await coordinator.insert(request, rows, progress, fill, for: self)
  }

  /// Updates objects in the store, and merges the result in the context. The queue is released
  /// while the store works, and other blocks run.
  ///
  /// - Throws: as the coordinator's call.
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

  /// Has the context merge a stretch. The store has written it, even if the task was cancelled.
  func takeOver(
    _ outcome: BatchOutcome, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    if isolation === MainActor.shared { MainTurns.endAll() }
    try await run(isCancellable: false) { BatchTurn.takeOver(outcome, in: $0) }
  }
}
