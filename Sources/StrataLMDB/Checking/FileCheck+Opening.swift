// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

// MARK: - Before a file is opened

extension FileCheck {
  /// Checks a file that no environment of this process has open: as a whole, unless it has the
  /// stamp of a sound file; then its headers alone. If another process has it open, that process
  /// has checked it, and nothing is read: it may be writing.
  ///
  /// - Parameters:
  ///   - path: without symbolic links.
  ///   - isForReading: whether the file may not be changed, not even in its notes.
  /// - Throws: `damagedPage`; `notAnLMDBFile`, `versionMismatch`; `permissionDenied`, `noSuchFile`,
  ///   `io`.
  static func runBeforeOpening(_ path: String, isForReading: Bool) throws(LMDBError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw LMDBError(code: errno) }
    // LMDB's locks are on the lock file: closing this descriptor drops none.
    defer { close(file) }
    do throws(LMDBError) {
      guard let lock = try ExclusiveLock.take(EnvironmentRegistry.lockPath(of: path)) else {
        return
      }
      try lock.during { () throws(LMDBError) in try run(file, isForReading: isForReading) }
    } catch .permissionDenied where isForReading {
      // On a medium without write access there is no lock file, and there are no writers.
      try run(file, isForReading: true)
    }
  }

  private static func run(_ file: Int32, isForReading: Bool) throws(LMDBError) {
    guard let stamp = FileStamp(of: file) else { throw LMDBError(code: errno) }
    // LMDB makes a new file of an empty one.
    if stamp.isOfEmptyFile { return }
    if stamp.isNoted(beside: file) {
      _ = try FileHeader.newest(of: file)
    } else {
      try run(file)
      if !isForReading { stamp.note(beside: file) }
    }
  }
}
