// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A name beside a path, for a file that is not complete: `<name>.new-<UUID>`. A name that would be
/// too long for the file system begins with a part of it.
///
/// ## Lifetime
/// No process removes the file while the value lives. Then the file and its lock file are removed.
/// If the process dies before that, the next creation in the folder removes them.
package struct TemporaryName: ~Copyable {
  package let path: String
  /// Nil where no file can be locked: no process cleans up there either.
  private let lock: CreationLock?

  /// Removes what interrupted creations have left in the folder.
  package init(beside path: String) {
    StoreFile.clearLeftovers(of: path)
    let folder = StoreFile.folder(of: path)
    lock = CreationLock(folder: folder, for: .creating)
    let ending = StoreFile.temporaryMark + UUID().uuidString
    let byteCountMax = Self.byteCountMax - ending.utf8.count - StoreFile.lockMark.utf8.count
    var name = ""
    for scalar in (path as NSString).lastPathComponent.unicodeScalars {
      if name.utf8.count + UTF8.width(scalar) > byteCountMax { break }
      name.unicodeScalars.append(scalar)
    }
    self.path = "\(folder)/\(name)\(ending)"
  }

  /// Of a name in a folder (POSIX: NAME_MAX).
  private static var byteCountMax: Int { 255 }

  deinit {
    unlink(path)
    unlink(path + StoreFile.lockMark)
  }
}
