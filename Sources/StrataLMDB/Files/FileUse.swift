// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// Whether a file is open, here or in another process, without opening it.
package enum FileUse {
  /// Whether an environment of this process has the file at `path` open, or another process does.
  ///
  /// - Throws: `permissionDenied`, `io`, `notAnLMDBFile`.
  package static func isInUse(_ path: String) throws(LMDBError) -> Bool {
    guard let identity = try FileIdentity(at: path, allowsEmpty: true) else { return false }
    let resolved = OpenedFile.resolved(path)
    return EnvironmentRegistry.withEntry(of: identity) { isOpen in
      // The process has no lock that closing the lock file could drop.
      guard !isOpen, let lock = LockFile(at: EnvironmentRegistry.lockPath(of: resolved)) else {
        return isOpen
      }
      defer { lock.end() }
      return lock.isShared
    }
  }
}

/// The oldest state of a file that a reader of any process holds.
package struct OldestReader: Sendable, Hashable {
  package let processID: Int32
  /// How many commits it is behind the newest.
  package let commitLag: Int
}

extension Environment {
  /// The oldest state that is being read; nil if none is. Pages that were freed since are not used
  /// again, and the file grows. O(readers).
  package var oldestReader: OldestReader? {
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    var found: (processID: Int32, number: Int)?
    withUnsafeMutablePointer(to: &found) { found in
      // lmdb.h: "Dump the entries in the reader lock table": a line with the process, the thread
      // and the transaction for each reader; "-" if it has none.
      _ = mdb_reader_list(
        raw,
        { line, context in
          let words = line.map { String(cString: $0).split(separator: " ") } ?? []
          guard words.count == 3, let process = Int32(words[0]),
            let number = Int(words[2].trimmingSuffix { $0.isNewline }),
            // Safety: the context is the pointer to `found` that was passed beside the function.
            let found = context?.assumingMemoryBound(to: (processID: Int32, number: Int)?.self)
          else { return 0 }
          if found.pointee.map({ $0.number > number }) ?? true { found.pointee = (process, number) }
          return 0
        }, found)
    }
    return found.map {
      OldestReader(
        processID: $0.processID, commitLag: max(0, Int(information.me_last_txnid) - $0.number))
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
