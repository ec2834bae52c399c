// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataPrimitives

/// Readers of read transactions that no view is using: taking a snapshot renews one instead of
/// making it.
///
/// ## Invariants
/// - I1 A reader in the pool has ended its transaction: it pins no pages.
///
/// ## Isolation
/// Sendable.
final class TreeReaderPool: Sendable {
  // Safety: a reader is in one place only, the pool or the view that has taken it.
  private struct Idle: @unchecked Sendable { let reader: TreeReader }

  private let idle = CountedMutex<[Idle]>([])
  private static let countMax = 64

  /// How often and how long threads have waited for the pool.
  var waits: LockWaits { idle.waits }

  /// A reader of the newest state.
  ///
  /// - Throws: `storage`.
  func take(from environment: Environment, _ trees: Trees) throws(StoreError) -> TreeReader {
    do throws(LMDBError) {
      if let reader = idle.withLock({ $0.popLast() })?.reader,
        let transaction = reader.transaction as? ReadTransaction
      {
        do throws(LMDBError) {
          try transaction.renew()
          return reader
        } catch .badReaderSlot {
          // That transaction's trouble alone: take another.
        }
      }
      return TreeReader(try environment.read(), trees)
    } catch {
      throw StoreError(error)
    }
  }

  /// Takes back a reader. Its snapshot is released at once.
  func give(_ reader: TreeReader) {
    (reader.transaction as? ReadTransaction)?.end()
    let idle = Idle(reader: reader)
    self.idle.withLock { readers in
      if readers.count < Self.countMax { readers.append(idle) }
    }
  }
}
