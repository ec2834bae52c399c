// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
package import StrataPrimitives

// MARK: - Reading

extension Environment {
  /// A read transaction on the newest snapshot, from the pool. Waits for nobody.
  ///
  /// - Throws: `readersFull`, `mapResized`, `panic`, `forked`, `fileReplaced`.
  package func read() throws(LMDBError) -> ReadTransaction {
    try ForkGuard.check()
    // Whatever is thrown below, its deinit gives it back to the pool.
    let transaction = ReadTransaction(environment: self, raw: try readers.take(from: raw))
    try checkPath()
    try transaction.checkNumber()
    return transaction
  }

  /// How often and how long threads have waited for the pool of read transactions.
  package var readerPoolWaits: LockWaits { readers.waits }

  /// Frees the reader slots of processes that died in a read transaction, and with them the old
  /// pages that they pin. Done at opening, now and then on commits, and when slots run out.
  ///
  /// - Returns: the number of slots freed.
  @discardableResult
  package func clearDeadReaders() throws(LMDBError) -> Int {
    try ForkGuard.check()
    var count: Int32 = 0
    try check(mdb_reader_check(raw, &count))
    return Int(count)
  }
}
