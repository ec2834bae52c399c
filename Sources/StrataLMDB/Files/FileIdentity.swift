// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Which file it is, whatever path leads to it.
///
/// Two paths (a hard or symbolic link, a relative path) may name one file, which must not be opened
/// twice in a process; and one path may name another file than before. A file keeps its identity
/// while anything has it open, also after it was unlinked; then the number may be given to a new
/// file.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ information: stat) {
    device = UInt64(truncatingIfNeeded: information.st_dev)
    inode = UInt64(truncatingIfNeeded: information.st_ino)
  }

  /// The file that is open as `file`.
  init(of file: Int32) throws(LMDBError) {
    var information = stat()
    guard fstat(file, &information) == 0 else { throw LMDBError(code: errno) }
    self.init(information)
  }

  /// The lock file at `path`; nil if there is none. It is not opened.
  ///
  /// - Throws: `foreignLockFile` for a link, a folder, a device, or another file that is not
  ///   regular.
  init?(ofLockFileAt path: String) throws(LMDBError) {
    var information = stat()
    guard lstat(path, &information) == 0 else {
      if errno == ENOENT { return nil }
      throw LMDBError(code: errno)
    }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .foreignLockFile(path: path) }
    self.init(information)
  }

  /// The file at `path`, which must be a regular, non-empty one, or nil. The
  /// file is not opened: closing any descriptor of it would drop LMDB's locks.
  ///
  /// - Throws: `notAnLMDBFile` for a folder, a pipe or, unless `allowsEmpty`, an empty file.
  init?(at path: String, allowsEmpty: Bool) throws(LMDBError) {
    var information = stat()
    guard stat(path, &information) == 0 else {
      if errno == ENOENT { return nil }
      throw LMDBError(code: errno)
    }
    guard information.st_mode & S_IFMT == S_IFREG, allowsEmpty || information.st_size > 0 else {
      throw .notAnLMDBFile
    }
    self.init(information)
  }
}
