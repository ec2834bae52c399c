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

  /// Removes the leftovers of interrupted creations of the store at `path`, if no creation is under
  /// way in its folder. Files that cannot be removed stay.
  static func clearLeftovers(of path: String) {
    let folder = folder(of: path)
    let name = (path as NSString).lastPathComponent
    guard let lock = CreationLock(folder: folder, for: .clearing),
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return }
    for file in files where isTemporary(file, of: name) { unlink("\(folder)/\(file)") }
    _ = consume lock
  }

  private static func isTemporary(_ file: String, of name: String) -> Bool {
    guard file.hasPrefix(name + temporaryMark) else { return false }
    var id = file.dropFirst(name.count + temporaryMark.count)
    if id.hasSuffix(lockMark) { id = id.dropLast(lockMark.count) }
    return UUID(uuidString: String(id)) != nil
  }
}
