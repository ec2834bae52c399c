// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
import StrataPrimitives
import Synchronization

/// The lock file of an environment, as the processes that have the file open use it to know of each
/// other.
///
/// - Each process that has read the file holds a lock on the byte of its process number, which LMDB
///   takes (mdb.c: `mdb_reader_pid`). The system releases it when the process ends, however it
///   ends.
/// - A process that has committed, while others hold such locks, changes the times of the
///   lock file. The others watch for that (`CommitWatch`). LMDB writes to the lock file only
///   through a map, which changes no times that a watch would report.
///
/// If the file is cut off while it is open, LMDB's next access to it would raise SIGBUS and end the
/// process. A guard (`map_guard.h`) lets LMDB go on with an empty page, and `isLost` is true then:
/// the file excludes nobody and announces no reader, so no transaction begins or is committed any
/// more.
///
/// ## Lifetime
/// The registry closes the descriptor after LMDB's, before it lets the file be opened again:
/// closing any descriptor of a file drops all locks that the process has on it (POSIX: `fcntl`).
///
/// ## Isolation
/// Sendable.
final class LockFile: Sendable {
  /// -1 when it is closed.
  private let descriptor: Atomic<Int32>
  /// A path that leads to the open file, even if it was renamed.
  let watchedPath: String
  private let path: String
  private let identity: FileIdentity?
  private let byteCount: off_t
  /// The number of the guard; -1 without one.
  private let guardNumber: Int32

  /// - Returns: nil if it cannot be opened: the environment then works as if it were alone.
  convenience init?(at path: String) {
    let opened = open(path, O_RDWR | O_CLOEXEC)
    if opened < 0 { return nil }
    self.init(opened, at: path)
  }

  /// - Parameter opened: an open descriptor of the file.
  init(_ opened: Int32, at path: String) {
    descriptor = Atomic(opened)
    self.path = path
    var information = stat()
    let isKnown = fstat(opened, &information) == 0
    identity = isKnown ? FileIdentity(information) : nil
    byteCount = isKnown ? information.st_size : 0
    guardNumber = identity.map { strata_guard_lock_file($0.inode) } ?? -1
    #if os(Linux)
      watchedPath = "/proc/self/fd/\(opened)"
    #else
      watchedPath = path
    #endif
  }

  /// -1 when it is closed.
  var openDescriptor: Int32 { descriptor.load(ordering: .relaxed) }

  /// Closes the descriptor. Nothing else is called any more.
  func end() {
    let opened = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    if opened >= 0 { close(opened) }
    strata_guard_end(guardNumber)
  }

  /// Whether a part of the file that LMDB uses was found to be gone.
  var isLost: Bool { strata_guard_was_hit(guardNumber) != 0 }

  /// Whether the path leads to another file, or to none: a process that opens the data file then
  /// does not know of this one. Or whether the file has become shorter, and has lost readers. A
  /// system call.
  var isReplaced: Bool {
    var information = stat()
    guard stat(path, &information) == 0 else { return true }
    return FileIdentity(information) != identity || information.st_size < byteCount
  }

  /// Whether another process has the environment's file open. A system call.
  var isShared: Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // All lock the byte at 0 while they are open, for LMDB to find the last one.
    lock.l_start = 0
    lock.l_len = 0
    return fcntl(openDescriptor, F_GETLK, &lock) == 0
      && lock.l_type != Int16(F_UNLCK)
  }

  /// Changes the file's times, for others to see.
  func touch() { futimens(openDescriptor, nil) }
}
