// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The right to create stores in a folder, or to clean up after interrupted creations.
///
/// Creators hold the folder lock shared, cleanup holds it exclusively. So cleanup removes no file
/// of a running creation: a process that dies releases its lock.
///
/// ## Isolation
/// Any thread. Locks in one process conflict as if two processes held them.
struct CreationLock: ~Copyable {
  enum Purpose {
    /// Waits for a running cleanup, which is short.
    case creating
    /// Does not wait for creators.
    case clearing
  }

  private let folder: Int32

  /// Nil if the folder cannot be locked: a creation is under way there, or the folder or its file
  /// system does not support locks.
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
