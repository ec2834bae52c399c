// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB

/// The file of a store: its creation, and checks of a file without opening it.
///
/// LMDB leaves a file that never opens again if the process dies during its creation. So a store is
/// completed under a temporary name in the same folder, synced, and then linked to its path. The
/// link fails if another process was first; then the other store is used. A crash leaves a file
/// with a temporary name behind, perhaps the store itself under a second name. The next creation in
/// the folder, or the next opening of a store with two names, removes it.
enum StoreFile {
  /// The kind of file at a path.
  enum Kind {
    case nothing
    /// It begins as LMDB files do.
    case lmdb
    case other
  }

  /// Looks at the file before LMDB does, which would put a lock file beside anything.
  ///
  /// - Throws: `permissionDenied`, `storage`.
  static func kind(at path: String) throws(StoreError) -> Kind {
    var information = stat()
    guard stat(path, &information) == 0 else {
      if errno == ENOENT { return .nothing }
      if errno == ENOTDIR { throw .folderMissing(path: path) }
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    guard information.st_mode & S_IFMT == S_IFREG else { return .other }
    // LMDB's own locks are on the lock file: to close this descriptor takes none of them.
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    defer { close(file) }
    var magic: UInt32 = 0
    let count = pread(file, &magic, 4, magicOffset)
    guard count >= 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    return count == 4 && magic == lmdbMagic ? .lmdb : .other
  }

  /// Where an LMDB file has its mark: behind the header of the first page.
  private static var magicOffset: Int { 16 }
  private static var lmdbMagic: UInt32 { 0xBEEF_C0DE }
}
