// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// The oldest state of a file that a reader of any process holds.
package struct OldestReader: Sendable, Hashable {
  package let processID: Int32
  /// The number of the commit that made the state.
  package let commit: UInt64
  /// How many commits it is behind the newest.
  package let commitLag: Int
  /// How long the state has not been the newest, at the least: commits of other processes may have
  /// been noticed late.
  package let age: Duration
  /// The name of a context of this process that holds the state; nil if none is known.
  package let holder: String?

  func isSameReader(as other: OldestReader) -> Bool {
    processID == other.processID && commit == other.commit
  }
}

extension Environment {
  /// The oldest state that is being read; nil if none is, or if the environment has no table of
  /// readers. Pages that were freed since are not used again, and the file grows. O(readers).
  package var oldestReader: OldestReader? {
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    var found: (processID: Int32, commit: UInt64)?
    withUnsafeMutablePointer(to: &found) { found in
      // lmdb.h: "Dump the entries in the reader lock table": a line with the process, the thread
      // and the transaction for each reader; "-" if it has none.
      _ = mdb_reader_list(
        raw,
        { line, context in
          let words = line.map { String(cString: $0).split(separator: " ") } ?? []
          guard words.count == 3, let process = Int32(words[0]),
            let commit = UInt64(words[2].trimmingSuffix { $0.isNewline }),
            // Safety: the context is the pointer to `found` that was passed beside the function.
            let found = context?.assumingMemoryBound(to: (processID: Int32, commit: UInt64)?.self)
          else { return 0 }
          if found.pointee.map({ $0.commit > commit }) ?? true { found.pointee = (process, commit) }
          return 0
        }, found)
    }
    return found.map {
      readers.describe(
        readerOf: $0.commit, in: $0.processID, newest: UInt64(information.me_last_txnid))
    }
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
