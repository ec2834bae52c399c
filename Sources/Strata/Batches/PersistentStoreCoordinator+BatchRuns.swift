// SPDX-License-Identifier: Apache-2.0
import StrataChanges

extension PersistentStoreCoordinator {
  /// Inserts the rows that `fill` sets, and waits.
  ///
  /// - Parameters:
  ///   - context: the context that executes the batch; nil if there is none.
  ///   - fill: sets the values of the next row; returns false if there is none.
  @usableFromInline
  func insert(
    _ options: BatchInsertOptions, _ progress: (@Sendable (BatchProgress) -> Void)?,
    for context: ManagedObjectContext? = nil, _ fill: @escaping (RowDraft) throws -> Bool
  ) throws -> BatchInsertResult {
    let turn = try context.map(BatchTurn.init)
    let source = try BatchInsertion(options, in: schema, fill: fill)
    defer { source.close() }
    try run(source, author: options.author, progress, for: turn?.caller).perform { outcome in
      turn?.takeOver(outcome)
    }
    return source.result
  }

  /// Inserts the rows that `fill` sets, suspending the task.
  @usableFromInline
  func insert(
    _ options: BatchInsertOptions, _ progress: (@Sendable (BatchProgress) -> Void)?,
    for queue: ContextQueue?, isolation: isolated (any Actor)? = #isolation,
    _ fill: @escaping (RowDraft) throws -> Bool
  ) async throws -> BatchInsertResult {
    let caller = try await queue?.beginBatch()
    let source = try BatchInsertion(options, in: schema, fill: fill)
    let run = run(source, author: options.author, progress, for: caller)
    try await run.perform { try await queue?.takeOver($0) }
    return source.result
  }

  /// Collects all rows of an asynchronous sequence, or the rows of one transaction after the other,
  /// and inserts them.
  func insert<Root: Entity, Rows: AsyncSequence>(
    _ request: BatchInsertRequest<Root>, _ rows: Rows,
    _ progress: (@Sendable (BatchProgress) -> Void)?,
    _ fill: @escaping @Sendable (inout BatchRow<Root>, Rows.Element) throws -> Void,
    for queue: ContextQueue?, isolation: isolated (any Actor)? = #isolation
  ) async throws -> BatchInsertResult where Rows.Element: Sendable {
    var options = request.options
    var total = BatchInsertResult(skipping: options)
    var skipCount = options.skipCount
    var collected: [Rows.Element] = []
    do {
      var iterator = rows.makeAsyncIterator()
      while let row = try await iterator.next(isolation: isolation) {
        if skipCount > 0 {
          skipCount -= 1
          continue
        }
        collected.append(row)
        if collected.count == options.commitInterval { try await insertCollected() }
      }
      // A sequence of rows may end early because its task was cancelled.
      try Task.checkCancellation()
      if !collected.isEmpty || total.token.completedCount == 0 { try await insertCollected() }
      return total
    } catch {
      if options.commitInterval == nil || error is BatchInterruption { throw error }
      throw BatchInterruption(token: total.token, underlyingError: error)
    }

    func insertCollected() async throws {
      var feed = RowFeed(collected, skipping: 0)
      collected = []
      options.token = total.token
      let result = try await insert(options, progress, for: queue) {
        try feed.setNext(in: $0, with: fill)
      }
      total.append(result)
    }
  }

  func run(
    _ source: any BatchSource, author: String?, _ progress: (@Sendable (BatchProgress) -> Void)?,
    for caller: BatchCaller?
  ) -> BatchRun {
    source.progress = progress
    return BatchRun(
      source, in: self, reportsKeys: caller != nil, author: author ?? caller?.author,
      contextName: caller?.contextName)
  }
}
