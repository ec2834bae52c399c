// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The right to create stores in a folder, or to clear away what creations have left there.
///
/// Who creates one shares the folder's lock with other creators; who clears has it alone. So what is
/// cleared is nobody's: a process that dies lets go of its lock.
///
/// ## Isolation
/// Any thread. Two locks of one process are as those of two.
struct CreationLock: ~Copyable {
  enum Purpose {
    /// Waits for who clears, which is short.
    case creating
    /// Does not wait for who creates.
    case clearing
  }

  private let folder: Int32

  /// Nil if the folder cannot be locked: somebody creates a store there, or it, or its file system, has
  /// no locks for us.
  init?(folder path: String, for purpose: Purpose) {
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let operation = purpose == .creating ? LOCK_SH : LOCK_EX | LOCK_NB
    while flock(opened, operation) != 0 {
      if errno == EINTR { continue }
      close(opened)
      return nil
    }
    folder = opened
  }

  deinit { close(folder) }
}
