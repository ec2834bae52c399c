// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataChanges
import StrataPrimitives

// Operations on one store: its file, its history and its batches. The store itself has them.

extension StoreGroup {
  package func execute(
    _ batch: StoreBatch, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void
  ) {
    completion(.failure(StoreError.severalStores))
  }

  package func edit(
    _ edit: HistoryEdit, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    completion(.failure(StoreError.severalStores))
  }

  package func setValue(
    _ value: Data?, forKey key: String,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    completion(.failure(StoreError.severalStores))
  }

  package func metadata() throws -> StoredMetadata { throw StoreError.severalStores }

  package func historyStatus() throws -> HistoryStatus? { throw StoreError.severalStores }

  package func historyToken(of generation: UInt64) -> HistoryToken {
    stopProgram("a history is of one store")
  }

  package func history(
    after token: HistoryToken?, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction] {
    throw StoreError.severalStores
  }

  package func backUp(to path: String, compacting: Bool, _ watch: BatchWatch) throws {
    throw StoreError.severalStores
  }

  package func compact(_ watch: BatchWatch) throws -> CompactionOutcome {
    throw StoreError.severalStores
  }
}
