// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataLMDB

/// The state of an environment at one moment, over all processes that use the file.
struct EnvironmentStatistics: Hashable, Sendable {
  /// The bound of the file's size.
  let mapSizeBytes: Int
  /// The file up to its last used page. It never shrinks; free pages within are used again.
  let usedSizeBytes: Int
  /// The number of the last commit.
  let lastTransactionID: UInt64
  let readerCountMax: Int
  /// Slots that are taken, by transactions that are live or may be renewed.
  let readerCount: Int
  /// The number of the oldest snapshot that is being read, nil when none is.
  let oldestReaderTransactionID: UInt64?

  /// Commits since the oldest snapshot that is being read; the pages that they replaced cannot be
  /// used again, so the file grows.
  var oldestReaderLag: UInt64 {
    guard let oldest = oldestReaderTransactionID, oldest < lastTransactionID else { return 0 }
    return lastTransactionID - oldest
  }
}

extension Environment {
  /// Liblmdb's counts for the file and its reader slots.
  func statistics() throws(LMDBError) -> EnvironmentStatistics {
    var information = MDB_envinfo()
    var main = MDB_stat()
    mdb_env_info(raw, &information)
    mdb_env_stat(raw, &main)
    let readers = try liveReaders()
    return EnvironmentStatistics(
      mapSizeBytes: Int(information.me_mapsize),
      usedSizeBytes: (Int(information.me_last_pgno) &+ 1) &* Int(main.ms_psize),
      lastTransactionID: UInt64(information.me_last_txnid),
      readerCountMax: Int(information.me_maxreaders),
      readerCount: readers.count,
      oldestReaderTransactionID: readers.compactMap(\.self).min())
  }

  /// Frees the reader slots of processes that died in a read transaction.
  ///
  /// - Returns: the number of slots freed.
  func clearDeadReaders() -> Int {
    var count: Int32 = 0
    mdb_reader_check(raw, &count)
    return Int(count)
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
