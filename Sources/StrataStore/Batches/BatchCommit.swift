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
enum BatchCommit {
  static func perform(
    _ deletion: BatchDeletion, in queue: CommitQueue
  ) -> Result<BatchOutcome, any Error> {
    do {
      // It may have been cancelled while it waited.
      try deletion.watch.check()
      let transaction = try queue.environment.begin()
      // Nothing that was committed is undone by it.
      defer { transaction.abort() }
      return .success(try perform(deletion, in: transaction, queue))
    } catch let error as LMDBError {
      return .failure(StoreError(error))
    } catch {
      return .failure(error)
    }
  }

  private static func perform(
    _ deletion: BatchDeletion, in transaction: WriteTransaction, _ queue: CommitQueue
  ) throws -> BatchOutcome {
    let generation =
      try Catalog.generation(in: transaction, ofVersion: queue.schema.version) + 1
    var delete = BatchDelete(deletion, in: transaction, queue, generation: generation)
    var history = try HistoryWriter(in: transaction, queue.schema)
    if history != nil { delete.history = HistoryRecord(queue.schema) }
    let outcome = try delete.run()
    if outcome.count == 0 { return outcome }
    try deletion.watch.check()
    if let record = delete.history {
      try history?.append(
        record, generation: generation, author: deletion.author,
        contextName: deletion.contextName)
      try history?.finish(generation: generation)
    }
    let event = ChangeEvent(origin: nil, generation: generation, keys: outcome.keys)
    try queue.commit(transaction, generation: generation, [(segments: [], event: event)])
    deletion.watch.tell(outcome.count, of: outcome.count)
    return outcome
  }
}
