// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

extension Environment {
  /// The bytes of the file that are in use or were: the size of a copy that is not compacted.
  package var usedByteCount: Int { pageCount * pageByteCount }

  /// The pages up to the last one that is in use or was.
  var pageCount: Int {
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    return information.me_last_pgno + 1
  }

  /// The free pages within the file, as the last commit has left them; 0 if they cannot be read.
  /// O(commits that have freed some).
  var freePageCount: Int {
    guard let transaction = try? read(), var cursor = try? transaction.cursor(in: .freePages) else {
      return 0
    }
    var count = 0
    while (try? cursor.next()) == true {
      // Each entry is a list that begins with its length.
      count += cursor.value.count < 8 ? 0 : cursor.value.loadUnaligned(as: Int.self)
    }
    return count
  }

  /// Whether a commit may need the pages that the last ones have freed.
  package var isNearlyFull: Bool { mapped.room.isNearlyFull(pageCount: pageCount) }

  /// The size of a page.
  package var pageByteCount: Int { Self.pageByteCount(of: raw) }

  static func pageByteCount(of raw: OpaquePointer) -> Int {
    var statistics = MDB_stat()
    mdb_env_stat(raw, &statistics)
    return Int(statistics.ms_psize)
  }

  /// Writes the newest commit as a complete file, while readers and writers go on (lmdb.h:
  /// mdb_env_copyfd2). It waits for a write transaction under way, and holds a snapshot until it is
  /// done: pages that writers free in the meantime are not used again before.
  ///
  /// A copy has no note beside it. So if a header has been put back (`FailedHeader`), the copy is
  /// compacted, which writes new headers.
  ///
  /// - Parameters:
  ///   - descriptor: of a file or pipe, which stays open. If the other end of a pipe is closed, the
  ///     thread must not die of SIGPIPE.
  ///   - compacting: whether to leave out free pages and renumber the others (lmdb.h:
  ///     MDB_CP_COMPACT), which takes more time.
  /// - Throws: `io` and `diskFull` for an error of writing; `readersFull`, `forked`, `corrupted`;
  ///   `damagedPage` if the file was not checked before, and is damaged.
  package func copy(toDescriptor descriptor: Int32, compacting: Bool) throws(LMDBError) {
    try ForkGuard.check()
    try checkWhole()
    let isCompacted = compacting || hasFailedHeader
    try check(mdb_env_copyfd2(raw, descriptor, isCompacted ? UInt32(MDB_CP_COMPACT) : 0))
  }
}
