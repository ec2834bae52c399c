// SPDX-License-Identifier: Apache-2.0
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
