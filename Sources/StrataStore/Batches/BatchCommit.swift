// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataRecord

/// Runs one batch in a write transaction of its own.
///
/// A batch does not share its transaction with saves. It reads and writes by turns, so a failure in
/// the middle can be undone only by aborting the transaction, and that would abort the saves too.
///
/// ## Isolation
/// The writer thread.
struct BatchCommit {
  let batch: StoreBatch
  let transaction: WriteTransaction
  let queue: CommitQueue
  /// The generation that the batch gets.
  let generation: UInt64

  static func perform(
    _ batch: StoreBatch, in transaction: WriteTransaction, _ queue: CommitQueue
  ) -> Result<BatchOutcome, any Error> {
    do {
      // It may have been cancelled while it waited.
      try batch.watch.check()
      let generation =
        try Catalog.generation(in: transaction, ofVersion: queue.schema.version) + 1
      let commit = BatchCommit(
        batch: batch, transaction: transaction, queue: queue, generation: generation)
      return .success(try commit.run())
    } catch let error as LMDBError {
      return .failure(StoreError(error))
    } catch {
      return .failure(error)
    }
  }

  private func run() throws -> BatchOutcome {
    let history = try HistoryWriter(in: transaction, queue.schema)
    let record = history.map { _ in HistoryRecord(queue.schema) }
    switch batch.work {
    case .delete(let deletion):
      var delete = BatchDelete(deletion, for: self)
      delete.history = record
      let outcome = try delete.run()
      do {
        try commit(outcome, history, delete.history)
      } catch let error as LMDBError {
        throw StoreError(catching: error, deletedCount: outcome.count)
      }
      batch.watch.tell(outcome.count, of: outcome.count)
      return outcome
    case .write(let writing):
      var write = try BatchWrite(writing, for: self, history: record)
      let outcome = try write.run()
      try commit(outcome, history, write.history)
      writing.parts.didCommit()
      return outcome
    }
  }

  private func commit(
    _ outcome: BatchOutcome, _ history: HistoryWriter?, _ record: HistoryRecord?
  ) throws {
    if outcome.count == 0 { return }
    try batch.watch.check()
    if var history, let record {
      try history.append(
        record, generation: generation, author: batch.author, contextName: batch.contextName)
      try history.finish(generation: generation)
    }
    let event = ChangeEvent(origin: nil, generation: generation, keys: outcome.keys)
    try queue.commit(
      transaction, generation: generation,
      [WrittenSave(segments: [], storePlace: 0, event: event)])
  }

  /// Whether the keys of all changed objects are needed, besides the history's.
  var notesKeys: Bool {
    batch.reportsKeys || queue.feed.isFollowed || transaction.isShared
  }

  /// The state of the store without the batch.
  ///
  /// - Throws: `StoreError.storage`, `.damaged`; `LMDBError`.
  func viewBefore() throws -> ReadView {
    let reader = TreeReader(try queue.environment.read(), queue.trees, queue.schema)
    return ReadView(of: try StoreView(reader), queue.schema)
  }

  /// A view for one step, and the way it is passed to other types. It is released before anything
  /// is written.
  func takeView() -> (store: StoreView, read: ReadView) {
    let view = StoreView(transaction, queue.trees, queue.schema, generation: generation - 1)
    return (view, ReadView(of: view, queue.schema))
  }
}
