// SPDX-License-Identifier: Apache-2.0
import Foundation

// The files that interrupted creations leave behind.

extension StoreFile {
  static var temporaryMark: String { ".new-" }
  static var lockMark: String { "-lock" }

  /// Removes the leftovers of creating the store at `path`, if the creation was interrupted after
  /// the store had its name.
  static func clearSecondName(of path: String) {
    var information = stat()
    if stat(path, &information) == 0, information.st_nlink > 1 { clearLeftovers(of: path) }
  }

  /// Removes the leftovers of interrupted creations in the folder of `path`, whatever was being
  /// created, if no creation is under way there. Files that cannot be removed stay.
  static func clearLeftovers(of path: String) {
    let folder = folder(of: path)
    guard let lock = CreationLock(folder: folder, for: .clearing),
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return }
    for file in files {
      let path = "\(folder)/\(file)"
      if isTemporary(file), isOurs(path) { unlink(path) }
    }
    _ = consume lock
  }

  private static func isTemporary(_ file: String) -> Bool {
    guard let mark = file.range(of: temporaryMark, options: .backwards) else { return false }
    var id = file[mark.upperBound...]
    if id.hasSuffix(lockMark) { id = id.dropLast(lockMark.count) }
    return UUID(uuidString: String(id)) != nil
  }

  /// Whether an interrupted creation may have left the file: it is empty, a store, or a lock file.
  private static func isOurs(_ path: String) -> Bool {
    var information = stat()
    guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    return path.hasSuffix(lockMark) || information.st_size == 0 || (try? kind(at: path)) == .lmdb
  }
}
