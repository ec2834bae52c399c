// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// Read transactions that wait for their next use.
///
/// To begin a read transaction costs an allocation and a search of the reader table; to renew one
/// that was reset costs neither. A transaction in the pool pins no snapshot, but keeps its reader
/// slot.
///
/// ## Isolation
/// Any thread: the environment has MDB_NOTLS, so a read transaction belongs to its holder, not to
/// the thread that began it.
final class ReaderPool: Sendable {
  private let idle = Monitor<[OpaquePointer]>([])
  private let countMax: Int

  /// A pool of at most `countMax` idle transactions; what comes back beyond that is ended.
  init(countMax: Int) { self.countMax = countMax }

  /// A transaction on the newest snapshot.
  ///
  /// - Throws: `readersFull` when no slot is free even after dead readers were cleared.
  func take(from environment: OpaquePointer) throws(LMDBError) -> OpaquePointer {
    while let transaction = idle.withLock({ $0.popLast() }) {
      let code = mdb_txn_renew(transaction)
      if code == 0 { return transaction }
      mdb_txn_abort(transaction)
      // A lost slot (MDB_BAD_RSLOT) is that transaction's trouble alone.
      if code != MDB_BAD_RSLOT { throw LMDBError(code: code) }
    }
    return try Self.begin(in: environment)
  }

  /// Takes back a transaction, live or reset.
  func give(_ transaction: OpaquePointer) {
    mdb_txn_reset(transaction)
    let isKept = idle.withLock { idle in
      guard idle.count < countMax else { return false }
      idle.append(transaction)
      return true
    }
    if !isKept { mdb_txn_abort(transaction) }
  }

  /// Ends all idle transactions and frees their slots.
  func drain() {
    for transaction in idle.withLock({ idle in
      defer { idle = [] }
      return idle
    }) {
      mdb_txn_abort(transaction)
    }
  }

  var idleCount: Int { idle.withLock { $0.count } }

  /// How often and how long threads have waited for the pool.
  var waits: LockWaits { idle.waits }

  /// A new read transaction. When all slots are taken, those of processes that died are cleared,
  /// and it is tried once more.
  static func begin(in environment: OpaquePointer) throws(LMDBError) -> OpaquePointer {
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    if code == MDB_READERS_FULL {
      try check(mdb_reader_check(environment, nil))
      code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    }
    try check(code)
    guard let transaction else { throw .outOfMemory }
    return transaction
  }
}
