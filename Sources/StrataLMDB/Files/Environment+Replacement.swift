// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

// MARK: - A file that was replaced while it was open

// Somebody may delete, move or replace the file while it is open here: `mv backup store`, for one. The
// environment keeps the former file, which has no name any more. What is written to it is lost when it
// closes. Worse, the lock file at the path is that of both files, and with it the number of the last
// commit, by which LMDB chooses the page that it begins at. So an environment of the new file, here or
// in another process, may begin at the wrong page.
//
// | who | looks at the number | looks at the path |
// | --- | --- | --- |
// | opens a file | with its first transaction | whose lock file it is, in this process |
// | begins to write | yes: it must be the next one | yes |
// | has committed | | yes, before anybody is told |
// | begins to read | yes: the file must have it | yes |
// | renews a reader | yes | with each `renewalsPerLook` renewals |
//
// The number is in memory and costs some instructions. A look at the path is a system call, about a
// microsecond: little beside a commit, much beside a turn that reads. A reader that hears of it late
// reads the former file as it was, because whatever the new file gets changes the number.

extension Environment {
  /// Renewals of one read transaction between two looks at the path.
  static var renewalsPerLook: UInt { 256 }

  /// - Throws: `fileReplaced` if the path does not lead to this environment's file any more;
  ///   `permissionDenied` or `io` if that cannot be told.
  func checkPath() throws(LMDBError) {
    guard options.keepsName else { return }
    let found: FileIdentity?
    do throws(LMDBError) {
      found = try FileIdentity(at: path, allowsEmpty: true)
    } catch .notAnLMDBFile {
      found = nil
    }
    if found != identity { throw .fileReplaced(path: path) }
  }

  /// Checks the number that a transaction has from the lock file against those of the file itself.
  ///
  /// - Throws: `fileReplaced` if the file does not have the commit that a reader is to see, or if the
  ///   commit that a writer is to follow is not the file's last one.
  func checkNumber(
    of transaction: OpaquePointer, isWriting: Bool
  ) throws(LMDBError) {
    let number = UInt64(mdb_txn_id(transaction))
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    let last = UInt64(information.me_last_txnid)
    // A writer holds the lock, so nobody commits meanwhile; beside a reader others may.
    guard isWriting ? number == last + 1 : number <= last else {
      throw .fileReplaced(path: path)
    }
  }
}
