// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// Runs one edit of the history in a write transaction of its own.
///
/// ## Isolation
/// The writer thread.
enum HistoryCommit {
  static func perform(
    _ edit: HistoryEdit, in transaction: WriteTransaction, _ queue: CommitQueue
  ) -> Result<Void, any Error> {
    do {
      let version = queue.schema.version
      let generation = try Catalog.generation(in: transaction, ofVersion: version)
      if try edit.perform(in: transaction, queue.schema, generation: generation) {
        try transaction.commit()
      }
      return .success(())
    } catch {
      return .failure(StoreError(catching: error))
    }
  }
}
