// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The owner, the group and the permissions of a file, for another file that takes its place.
///
/// Only its owner has access to a file that takes no other's place: a store may have anything in
/// it.
package struct FileOwnership {
  private let user: uid_t
  private let group: gid_t
  private var permissions: mode_t

  /// The ownership of the file of an environment.
  ///
  /// - Throws: `io`.
  package init(of environment: Environment) throws(LMDBError) {
    var status = stat()
    guard fstat(environment.file, &status) == 0 else { throw LMDBError(code: errno) }
    self.init(status)
  }

  /// - Returns: nil if no file is at the path.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (user, group, permissions) = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
  }

  /// Gives them to an open file.
  ///
  /// - Parameter withOwner: false if the file may stay another user's.
  /// - Throws: `permissionDenied` if this process may not do that; `io`.
  package func give(to file: Int32, withOwner: Bool = true) throws(LMDBError) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw LMDBError(code: errno) }
    if status.st_uid != user || status.st_gid != group {
      guard fchown(file, user, group) == 0 || !withOwner else { throw LMDBError(code: errno) }
    }
    guard fchmod(file, permissions) == 0 else { throw LMDBError(code: errno) }
  }

  /// The permissions of a new file.
  package static var permissionsOfNewFile: UInt32 { 0o600 }

  /// The owner, the group and the permissions of a lock file. The owner and the group write to it
  /// if they may read the data file, because readers announce themselves in it. All others write to
  /// it only if they may write to the data file: a process that writes to it can stop every other.
  static func ofLock(besideFileAt path: String) -> FileOwnership? {
    guard var data = FileOwnership(ofFileAt: path) else { return nil }
    let readers = data.permissions & 0o440
    data.permissions =
      data.permissions & 0o666 | readers | readers >> 1 | mode_t(permissionsOfNewFile)
    return data
  }
}
