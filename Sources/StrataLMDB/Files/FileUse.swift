// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// The use of a file by no environment, here or in another process.
package enum FileUse {
  /// The path without symbolic links: the lock file is beside the file itself.
  package static func resolved(_ path: String) -> String { OpenedFile.resolved(path) }

  /// Calls `body` while no environment has the file at `path` open, and none can open it: here the
  /// registry keeps them out, in other processes a lock on the whole lock file, which LMDB waits
  /// for when it opens a file (mdb.c: `mdb_env_excl_lock`). The lock file is made if it is missing.
  ///
  /// - Parameter path: without symbolic links.
  /// - Returns: nil if the file is in use; `body` was not called.
  /// - Throws: `permissionDenied`, `io`; the errors of `body`.
  package static func exclusively<Result>(
    _ path: String, _ body: () throws -> Result
  ) throws -> Result? {
    try EnvironmentRegistry.whileClosed(at: path) {
      let lockPath = EnvironmentRegistry.lockPath(of: path)
      let file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw LMDBError(code: errno) }
      // No environment of the process uses the lock file, so this drops no lock.
      defer { close(file) }
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      guard fcntl(file, F_SETLK, &lock) == 0 else {
        if errno == EACCES || errno == EAGAIN { return nil }
        throw LMDBError(code: errno)
      }
      return try body()
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
