// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The lock with which LMDB itself keeps other processes from opening a data file: on the first
/// byte of the lock file (mdb.c: `mdb_env_excl_lock`).
///
/// LMDB makes it a shared one as soon as it has the file open (mdb.c: `mdb_env_share_locks`), and
/// that ends the exclusion. No other byte is locked: each process that reads locks the byte of its
/// number (mdb.c: `mdb_reader_pid`), and does not wait for it.
///
/// ## Lifetime
/// It is held until the value is gone, or becomes the descriptor of an environment. No environment
/// of this process uses the lock file before: closing a descriptor drops all locks that the process
/// has on the file (POSIX: `fcntl`).
struct ExclusiveLock: ~Copyable {
  private let file: Int32

  private init(_ file: Int32) { self.file = file }

  /// Takes the lock. The lock file is made if it is missing, and must be LMDB's: LMDB would write
  /// to any file. Waits while another process has such a lock, because it is opening the data file.
  ///
  /// - Parameters:
  ///   - path: of the data file.
  ///   - limit: how long it waits at most; nil for ever.
  /// - Returns: nil if another process has the data file open.
  /// - Throws: `permissionDenied`, `foreignLockFile`, `io`; `busy` if it has waited for `limit`.
  static func take(
    besideFileAt path: String, atMost limit: Duration? = EnvironmentOptions.busyTimeoutDefault
  ) throws(LMDBError) -> ExclusiveLock? {
    let lockPath = EnvironmentRegistry.lockPath(of: path)
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    var file = open(lockPath, flags | O_CREAT | O_EXCL, mode_t(FileOwnership.permissionsOfNewFile))
    if file >= 0 {
      // Where the process may not do that, other users may not open the store.
      try? FileOwnership.ofLock(besideFileAt: path)?.give(to: file, withOwner: false)
    } else if errno == EEXIST {
      // A device or a queue may make the process wait, or act, when it is opened.
      _ = try FileIdentity(ofLockFileAt: lockPath)
      file = open(lockPath, flags)
    }
    guard file >= 0 else { throw LMDBError(code: errno) }
    let taken = ExclusiveLock(file)
    let start = SuspendingClock.now
    while true {
      var lock = Self.exclusive
      if fcntl(file, F_SETLK, &lock) == 0 {
        guard taken.isLMDBs else { throw .foreignLockFile(path: lockPath) }
        return taken
      }
      guard errno == EACCES || errno == EAGAIN || errno == EINTR else {
        throw LMDBError(code: errno)
      }
      var other = Self.exclusive
      guard fcntl(file, F_GETLK, &other) == 0 else { throw LMDBError(code: errno) }
      if other.l_type == Int16(F_RDLCK) {
        guard taken.isLMDBs else { throw .foreignLockFile(path: lockPath) }
        return nil
      }
      if let limit, other.l_type == Int16(F_WRLCK), start.duration(to: .now) >= limit {
        throw .busy(processID: other.l_pid)
      }
      usleep(Self.pauseMicroseconds)
    }
  }

  private static var pauseMicroseconds: UInt32 { 2_000 }

  /// Whether the file is regular, has no second name, and has the content of a lock file: nothing,
  /// LMDB's mark, or zeros, but for mutexes, if a process has died before it wrote the mark. No
  /// process may be opening it meanwhile.
  private var isLMDBs: Bool {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1
    else { return false }
    var mark: UInt32 = 0
    pread(file, &mark, MemoryLayout<UInt32>.size, 0)
    if mark == Self.mark { return true }
    guard mark == 0, status.st_size <= Self.newByteCountMax else { return false }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(file, &bytes, bytes.count, 0)
    return count == bytes.count && bytes.dropFirst(Self.headByteCount).allSatisfy { $0 == 0 }
  }

  /// The first word of a lock file (mdb.c: `MDB_MAGIC`).
  private static var mark: UInt32 { 0xBEEF_C0DE }

  /// The bytes before the table of readers (mdb.c: `MDB_txninfo`): the mark and two mutexes.
  private static var headByteCount: Int { 256 }

  /// More than a new lock file has with the largest number of readers.
  private static var newByteCountMax: Int { 1 << 17 }

  /// Calls `body` while the lock is held.
  borrowing func during<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }

  /// Leaves the lock to LMDB, which has opened the file, and returns the descriptor. It must stay
  /// open as long as LMDB has the file open. The lock lasted until LMDB made it a shared one, so
  /// that LMDB has begun with an empty table of readers.
  consuming func becomeDescriptor() -> Int32 {
    let file = file
    discard self
    return file
  }

  private static var exclusive: flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_len = 1
    return lock
  }

  deinit { close(file) }
}
