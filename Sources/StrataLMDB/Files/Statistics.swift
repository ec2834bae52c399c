// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// Size and shape of one tree.
package struct TreeStatistics: Hashable, Sendable {
  package let entryCount: Int
  /// Pages from the root to a leaf; 0 when the tree is empty.
  package let depth: Int
  package let branchPageCount: Int
  package let leafPageCount: Int
  /// Pages of values that do not fit into a leaf.
  package let overflowPageCount: Int
  package let pageByteCount: Int

  init(_ statistics: MDB_stat) {
    entryCount = Int(clamping: statistics.ms_entries)
    depth = Int(statistics.ms_depth)
    branchPageCount = Int(clamping: statistics.ms_branch_pages)
    leafPageCount = Int(clamping: statistics.ms_leaf_pages)
    overflowPageCount = Int(clamping: statistics.ms_overflow_pages)
    pageByteCount = Int(statistics.ms_psize)
  }
}

/// The state of an environment at one moment, over all processes that use the file.
package struct EnvironmentStatistics: Hashable, Sendable {
  /// The bound of the file's size.
  package let mapSizeBytes: Int
  /// The file up to its last used page. It never shrinks; free pages within are used again.
  package let usedSizeBytes: Int
  /// The number of the last commit.
  package let lastTransactionID: UInt64
  package let readerCountMax: Int
  /// Slots that are taken, by transactions that are live or may be renewed.
  package let readerCount: Int
  /// The number of the oldest snapshot that is being read, nil when none is.
  package let oldestReaderTransactionID: UInt64?

  /// Commits since the oldest snapshot that is being read; the pages that they replaced cannot be
  /// used again, so the file grows.
  package var oldestReaderLag: UInt64 {
    guard let oldest = oldestReaderTransactionID, oldest < lastTransactionID else { return 0 }
    return lastTransactionID - oldest
  }
}

extension Environment {
  /// - Throws: `forked`.
  /// - Complexity: O(reader slots).
  package func statistics() throws(LMDBError) -> EnvironmentStatistics {
    try ForkGuard.check()
    var information = MDB_envinfo()
    var main = MDB_stat()
    try check(mdb_env_info(raw, &information))
    try check(mdb_env_stat(raw, &main))
    let readers = try liveReaders()
    return EnvironmentStatistics(
      mapSizeBytes: Int(information.me_mapsize),
      usedSizeBytes: (Int(information.me_last_pgno) &+ 1) &* Int(main.ms_psize),
      lastTransactionID: UInt64(information.me_last_txnid),
      readerCountMax: Int(information.me_maxreaders),
      readerCount: readers.count,
      oldestReaderTransactionID: readers.compactMap(\.self).min())
  }

  /// The snapshot of each taken slot, nil for one that reads none. liblmdb gives them as text only:
  /// a line `pid thread txnid` for each, `-` for none, under a line of headings.
  private func liveReaders() throws(LMDBError) -> [UInt64?] {
    var text = ""
    let code = withUnsafeMutablePointer(to: &text) { text in
      mdb_reader_list(
        raw,
        { line, context in
          guard let line, let context else { return 0 }
          // Safety: it is the String that `text` points to.
          context.assumingMemoryBound(to: String.self).pointee += String(cString: line)
          return 0
        }, text)
    }
    if code < 0 { throw LMDBError(code: code) }
    return text.split(separator: "\n").compactMap { line -> UInt64?? in
      let fields = line.split(separator: " ")
      guard fields.count == 3, Int(fields[0]) != nil else { return nil }
      return .some(UInt64(fields[2]))
    }
  }
}
