// SPDX-License-Identifier: Apache-2.0

/// The use of a file by no environment, here or in another process.
package enum FileUse {
  /// The path without symbolic links: the lock file is beside the file itself.
  package static func resolved(_ path: String) -> String { OpenedFile.resolved(path) }

  /// Calls `body` while no environment has the file at `path` open, and none can open it: here the
  /// registry keeps them out, in other processes an `ExclusiveLock`. The lock file is made if it is
  /// missing.
  ///
  /// - Parameter path: without symbolic links.
  /// - Returns: nil if the file is in use; `body` was not called.
  /// - Throws: `permissionDenied`, `io`; the errors of `body`.
  package static func exclusively<Result>(
    _ path: String, _ body: () throws -> Result
  ) throws -> Result? {
    try EnvironmentRegistry.whileClosed(at: path) {
      guard let lock = try ExclusiveLock.take(besideFileAt: path) else {
        return nil
      }
      return try lock.during(body)
    }
  }
}
