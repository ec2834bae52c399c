// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

extension Environment {
  /// The bytes of the file that are in use or were: the size of a copy that is not compacted.
  package var usedByteCount: Int {
    var information = MDB_envinfo()
    var statistics = MDB_stat()
    mdb_env_info(raw, &information)
    mdb_env_stat(raw, &statistics)
    return (information.me_last_pgno + 1) * Int(statistics.ms_psize)
  }

  /// The size of a page.
  package var pageByteCount: Int {
    var statistics = MDB_stat()
    mdb_env_stat(raw, &statistics)
    return Int(statistics.ms_psize)
  }

  /// Writes the newest commit as a complete file, while readers and writers go on (lmdb.h:
  /// mdb_env_copyfd2). It waits for a write transaction under way, and holds a snapshot until it is
  /// done: pages that writers free in the meantime are not used again before.
  ///
  /// - Parameters:
  ///   - descriptor: of a file or pipe, which stays open. If the other end of a pipe is closed, the
  ///     thread must not die of SIGPIPE.
  ///   - compacting: whether to leave out free pages and renumber the others (lmdb.h:
  ///     MDB_CP_COMPACT), which takes more time.
  /// - Throws: `io` and `diskFull` for an error of writing; `readersFull`, `forked`, `corrupted`.
  package func copy(toDescriptor descriptor: Int32, compacting: Bool) throws(LMDBError) {
    try ForkGuard.check()
    try check(mdb_env_copyfd2(raw, descriptor, compacting ? UInt32(MDB_CP_COMPACT) : 0))
  }
}
