// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// Puts another file in the place of an environment's file, after the environment is closed.
///
/// The other file has the content of one commit of the environment. Another process may commit
/// later, as long as it has the file open; then the exchange is refused, and nothing is lost.
package struct FileExchange {
  /// The path of the file, without symbolic links.
  package let path: String
  private let file: FileIdentity
  /// The number of the commit that the other file has.
  private let number: UInt64

  /// - Parameter environment: an environment to which this process does not write until the
  ///   exchange is over. It is not kept open.
  package init(of environment: Environment) {
    path = environment.path
    file = environment.identity
    var information = MDB_envinfo()
    mdb_env_info(environment.raw, &information)
    number = UInt64(information.me_last_txnid)
  }

  /// Has all others of this process that open the file wait, until `end`.
  package func begin() { EnvironmentRegistry.beginExchange(ofFileAt: path) }

  package func end() { EnvironmentRegistry.endExchange(ofFileAt: path) }

  /// Waits until the environment is closed in this process. Each reader keeps it open.
  ///
  /// - Returns: false if it is still open after `limit`.
  package func waitUntilClosed(atMost limit: Duration) -> Bool {
    EnvironmentRegistry.waitUntilClosed(file, atMost: limit)
  }

  /// Whether the path leads to the environment's file.
  package var isInPlace: Bool {
    get throws(LMDBError) { try FileIdentity(at: path, allowsEmpty: true) == file }
  }

  /// Renames a complete file to the path of the environment's file.
  ///
  /// - Parameter replacement: the path of the other file.
  /// - Returns: false if a process has the environment's file open, or has committed to it since;
  ///   then nothing has changed.
  /// - Throws: `fileReplaced` if another file has come to the path; `permissionDenied`, `diskFull`,
  ///   `io`.
  package func perform(with replacement: String) throws -> Bool {
    let isDone = try FileUse.exclusively(path) {
      guard try isInPlace else {
        throw LMDBError.fileReplaced(path: path)
      }
      guard try lastNumber() == number else { return false }
      guard rename(replacement, path) == 0 else { throw LMDBError(code: errno) }
      return true
    }
    return isDone ?? false
  }

  /// The number of the last commit.
  private func lastNumber() throws(LMDBError) -> UInt64 {
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw LMDBError(code: errno) }
    // LMDB's locks are on the lock file: closing this descriptor drops none of them.
    defer { close(opened) }
    return try FileHeader.newest(of: opened).number
  }
}
