// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// A lock on a whole lock file, which keeps all other processes from opening the data file: LMDB
/// waits for it (mdb.c: `mdb_env_excl_lock`).
///
/// ## Lifetime
/// It is held until the value is gone. No environment of this process uses the lock file: closing a
/// descriptor drops all locks that the process has on the file (POSIX: `fcntl`).
struct ExclusiveLock: ~Copyable {
  private let file: Int32

  private init(_ file: Int32) { self.file = file }

  /// Takes the lock. The lock file is made if it is missing.
  ///
  /// - Returns: nil if another process has the data file open.
  /// - Throws: `permissionDenied`, `io`.
  static func take(_ lockPath: String) throws(LMDBError) -> ExclusiveLock? {
    let file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw LMDBError(code: errno) }
    let taken = ExclusiveLock(file)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(file, F_SETLK, &lock) == 0 else {
      if errno == EACCES || errno == EAGAIN { return nil }
      throw LMDBError(code: errno)
    }
    return taken
  }

  /// Calls `body` while the lock is held.
  borrowing func during<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }

  deinit { close(file) }
}
