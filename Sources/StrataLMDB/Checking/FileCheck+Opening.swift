// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

// MARK: - Before a file is opened

extension FileCheck {
  /// Checks a file that no environment of this process has open: as a whole, unless it has the
  /// stamp of a sound file; then only its headers. If another process has it open, that process
  /// has checked it, and nothing is read: it may be writing.
  ///
  /// - Parameters:
  ///   - path: without symbolic links.
  ///   - isForReading: whether the file may not be changed, not even in its notes.
  ///   - limit: how long it waits for another process that is opening the file; nil for ever.
  /// - Returns: the lock, which keeps other processes away until LMDB has its own; nil if another
  ///   process has the file open, and on a read-only medium, where there are no locks.
  /// - Throws: `damagedPage`; `notAnLMDBFile`, `versionMismatch`; `permissionDenied`, `noSuchFile`,
  ///   `busy`, `io`.
  static func runBeforeOpening(
    _ path: String, isForReading: Bool, waitingAtMost limit: Duration?
  ) throws(LMDBError) -> ExclusiveLock? {
    if OpeningCheck.isLeftOut { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw LMDBError(code: errno) }
    // LMDB's locks are on the lock file: closing this descriptor drops none.
    defer { close(file) }
    if isForReading, FileSystem.isReadOnly(path) {
      try runWithoutLock(file) { () throws(LMDBError) in try run(file, isForReading: true) }
      return nil
    }
    guard let lock = try ExclusiveLock.take(besideFileAt: path, atMost: limit) else {
      return nil
    }
    try lock.during { () throws(LMDBError) in try run(file, isForReading: isForReading) }
    return lock
  }

  private static func run(_ file: Int32, isForReading: Bool) throws(LMDBError) {
    guard let stamp = FileStamp(of: file) else { throw LMDBError(code: errno) }
    // LMDB makes a new file of an empty one.
    if stamp.isOfEmptyFile { return }
    if stamp.isNoted(beside: file) {
      _ = try FileHeader.newest(of: file)
    } else {
      let hasFailedHeader = try run(file).hasFailedHeader
      // The note of the header is needed until a commit replaces it.
      if !isForReading, !hasFailedHeader { stamp.note(beside: file) }
    }
  }

  /// A process that writes to the file through another mount is not damage.
  fileprivate static func runWithoutLock(
    _ file: Int32, _ check: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let stamp = FileStamp(of: file)
    do throws(LMDBError) {
      try check()
    } catch {
      if FileStamp(of: file) == stamp { throw error }
    }
  }
}

/// The check of files before they are opened.
package enum OpeningCheck {
  private static let leftOut = Atomic<Bool>(false)

  static var isLeftOut: Bool { leftOut.load(ordering: .relaxed) }

  /// Leaves it out in this process, which reads all that it can of damaged files, and may end by a
  /// signal.
  package static func leaveOut() { leftOut.store(true, ordering: .relaxed) }

  /// Checks the pages of a file that no environment of this process has open, whatever its stamp.
  /// On a read-only medium it takes no lock.
  ///
  /// - Returns: the damage; nil if there is none, or if another process has the file open.
  package static func flaw(ofFileAt path: String) throws(LMDBError) -> LMDBError? {
    let path = OpenedFile.resolved(path)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw LMDBError(code: errno) }
    defer { close(file) }
    let check = { () throws(LMDBError) in _ = try FileCheck.run(file) }
    do throws(LMDBError) {
      if FileSystem.isReadOnly(path) {
        try FileCheck.runWithoutLock(file, check)
      } else if let lock = try ExclusiveLock.take(besideFileAt: path) {
        try lock.during(check)
      }
      return nil
    } catch .damagedPage(let number, let flaw) {
      return .damagedPage(number: number, flaw)
    }
  }
}
