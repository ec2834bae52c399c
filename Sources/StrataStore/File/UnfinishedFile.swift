// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataLMDB
import StrataPrimitives

/// A new file that gets its name when it is complete.
///
/// Until then it has no name, where the system and the file system have such files: a process that
/// dies leaves nothing behind. Elsewhere it has a temporary name.
///
/// ## Lifetime
/// The descriptor and the temporary name go with the value.
struct UnfinishedFile: ~Copyable {
  /// Open for writing.
  let descriptor: Int32
  private let temporary: TemporaryName
  private let isUnnamed: Bool

  /// - Parameter path: a path in the folder of the file.
  /// - Throws: `folderMissing`, `permissionDenied`, `diskFull`, `storage`.
  init(beside path: String) throws(StoreError) {
    temporary = TemporaryName(beside: path)
    let permissions = mode_t(FileOwnership.permissionsOfNewFile)
    var file: Int32 = -1
    if !StorageFault.namedTooEarly.isPlanted {
      file = strata_open_unnamed(StoreFile.folder(of: path), permissions)
    }
    isUnnamed = file >= 0
    if !isUnnamed, StorageFault.namedTooEarly.isPlanted || errno == EOPNOTSUPP {
      file = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    }
    descriptor = file
    guard file >= 0 else {
      if errno == ENOENT { throw .folderMissing(path: path) }
      throw StoreError(LMDBError(code: errno), opening: path)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Gives the file a name that no file has yet.
  ///
  /// - Throws: `fileExists`, `permissionDenied`, `diskFull`, `storage`.
  func link(to path: String) throws(StoreError) {
    let code =
      if isUnnamed {
        strata_name_file(descriptor, path)
      } else {
        Foundation.link(temporary.path, path) == 0 ? 0 : errno
      }
    if code == 0 { return }
    if code == EEXIST { throw .fileExists(path: path) }
    throw StoreError(LMDBError(code: code), opening: path)
  }

  /// A name of the file, by which it can take the place of another.
  ///
  /// - Throws: `permissionDenied`, `diskFull`, `storage`.
  func named() throws(StoreError) -> String {
    if isUnnamed { try link(to: temporary.path) }
    return temporary.path
  }
}
