// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataRecord

/// Sets a value of a program in the store's description, in a write transaction of its own.
///
/// ## Isolation
/// The writer thread.
enum ValueCommit {
  static func perform(
    _ value: Data?, forKey key: String, in transaction: WriteTransaction, _ queue: CommitQueue
  ) -> Result<Void, any Error> {
    do {
      // A program with another model is refused, as in a save.
      _ = try Catalog.generation(in: transaction, ofVersion: queue.schema.version)
      if !queue.hasNormalKeys { try Catalog.normalizeKeys(in: transaction) }
      try Catalog.setValue(value, forKey: key, in: transaction)
      try transaction.commit()
      queue.hasNormalKeys = true
      return .success(())
    } catch {
      return .failure(StoreError(catching: error))
    }
  }
}
