// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

// MARK: - Before a file is opened

extension FileCheck {
  /// Checks a file that no environment of this process has open: as a whole, unless it has the
  /// stamp of a sound file; then only its headers. If another process has it open, nothing is read:
  /// it may be writing, and it has checked the file before its first write.
  ///
  /// - Parameters:
  ///   - path: without symbolic links.
  ///   - options: `isForReading`: the file may not be changed, not even in its notes;
  ///     `ignoresStamp`; and `busyTimeout`, for another process that is opening the file.
  ///   - isWhole: whether the whole file was checked.
  /// - Returns: the lock, which keeps other processes away until LMDB has its own; nil if another
  ///   process has the file open, and on a read-only medium, where there are no locks.
  /// - Throws: `damagedPage`; `notAnLMDBFile`, `versionMismatch`; `writtenByAnother`,
  ///   `foreignLockFile`, `permissionDenied`, `noSuchFile`, `busy`, `io`.
  static func runBeforeOpening(
    _ path: String, _ options: EnvironmentOptions, isWhole: inout Bool
  ) throws(LMDBError) -> ExclusiveLock? {
    isWhole = OpeningCheck.isLeftOut
    if isWhole { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw LMDBError(code: errno) }
    // LMDB's locks are on the lock file: closing this descriptor drops none.
    defer { close(file) }
    if options.isForReading, FileSystem.isReadOnly(path) {
      try alsoWhileOthersWrite { () throws(LMDBError) in
        try alone(file, at: path) { () throws(LMDBError) in isWhole = try run(file, options) }
      }
      return nil
    }
    guard let lock = try ExclusiveLock.take(besideFileAt: path, atMost: options.busyTimeout)
    else { return nil }
    try lock.during { () throws(LMDBError) in
      try alone(file, at: path) { () throws(LMDBError) in isWhole = try run(file, options) }
    }
    return lock
  }

  /// - Returns: whether the whole file was checked.
  private static func run(_ file: Int32, _ options: EnvironmentOptions) throws(LMDBError) -> Bool {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw LMDBError(code: errno) }
    // LMDB makes a new file of an empty one.
    if status.st_size == 0 { return true }
    let header = try FileHeader.newest(of: file)
    guard let stamp = FileStamp(of: file, commit: header.number) else {
      throw LMDBError(code: errno)
    }
    if !options.ignoresStamp, stamp.isNoted(beside: file) { return false }
    let hasFailedHeader = try run(file, header).hasFailedHeader
    // The note of the header is needed until a commit replaces it.
    if !options.isForReading, !hasFailedHeader { stamp.note(beside: file) }
    return true
  }

  /// Checks a file while no process that uses the lock file beside `path` can write to it.
  ///
  /// - Throws: `writtenByAnother` if one has written to it all the same; the errors of `check`.
  fileprivate static func alone(
    _ file: Int32, at path: String, _ check: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    // A commit overwrites pages of the one before the last: the last one has changed a header.
    let before = FileHeader.numbers(of: file)
    let result = Result { () throws(LMDBError) in try check() }
    guard FileHeader.numbers(of: file) == before else { throw .writtenByAnother(path: path) }
    try result.get()
  }

  /// Makes a check on a read-only medium, and ignores commits through another mount.
  fileprivate static func alsoWhileOthersWrite(
    _ check: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    do throws(LMDBError) {
      try check()
    } catch .writtenByAnother {
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

  /// Notes the stamp of a sound file beside a file, whatever is in it: damage without a write, as a
  /// disk's, leaves the stamp. For tests of such damage.
  package static func noteStamp(besideFileAt path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    FileStamp(of: file, commit: FileHeader.numbers(of: file).max() ?? 0)?.note(beside: file)
  }

  /// Checks the pages of a file that no environment of this process has open, whatever its stamp.
  /// On a read-only medium it takes no lock.
  ///
  /// - Returns: the damage; nil if there is none, or if another process has the file open.
  package static func flaw(ofFileAt path: String) throws(LMDBError) -> LMDBError? {
    let path = OpenedFile.resolved(path)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw LMDBError(code: errno) }
    defer { close(file) }
    let check = { () throws(LMDBError) in
      try FileCheck.alone(file, at: path) { () throws(LMDBError) in
        _ = try FileCheck.run(file, FileHeader.newest(of: file))
      }
    }
    do throws(LMDBError) {
      if FileSystem.isReadOnly(path) {
        try FileCheck.alsoWhileOthersWrite(check)
      } else if let lock = try ExclusiveLock.take(besideFileAt: path) {
        try lock.during(check)
      }
      return nil
    } catch .damagedPage(let number, let flaw) {
      return .damagedPage(number: number, flaw)
    }
  }
}
