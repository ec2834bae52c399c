// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

// MARK: - Reading

extension Environment {
  /// A read transaction on the newest snapshot. Never waits.
  ///
  /// - Throws: `readersFull`, `mapResized`, `panic`, `forked`, `fileReplaced`.
  package func read() throws(LMDBError) -> ReadTransaction {
    try ForkGuard.check()
    let begun = try beginReading()
    // Whatever is thrown below, its deinit ends it.
    let transaction = ReadTransaction(environment: self, raw: begun)
    try checkPath()
    try checkNumber(of: begun, isWriting: false)
    return transaction
  }

  /// Begins a read transaction, and notes an error with which LMDB refuses all others.
  func beginReading() throws(LMDBError) -> OpaquePointer {
    do throws(LMDBError) {
      return try Self.beginReading(raw)
    } catch .panic {
      throw failure(MDB_PANIC)
    } catch .mapResized {
      throw failure(MDB_MAP_RESIZED)
    }
  }

  /// Begins a read transaction. When all slots are taken, slots of dead processes are cleared, and
  /// it is tried once more.
  static func beginReading(_ environment: OpaquePointer) throws(LMDBError) -> OpaquePointer {
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    if code == MDB_READERS_FULL {
      try StrataLMDB.check(mdb_reader_check(environment, nil))
      code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    }
    try StrataLMDB.check(code)
    guard let transaction else { throw .outOfMemory }
    return transaction
  }
}
