// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

// MARK: - A file that was replaced while it was open

// The file may be deleted, moved or replaced while it is open here, by `mv backup store` for
// example. The environment keeps the former file, which has no name any more. Data written to it is
// lost when it closes. Worse, both files have the same lock file at the path, and with it the
// number of the last commit, by which LMDB chooses its meta page. So an environment of the new
// file, here or in another process, may begin at the wrong page.
//
// If the lock file is deleted or replaced instead, a process that opens the data file makes another
// one. Then neither process waits for the other, and each overwrites pages that the other reads.
//
// | operation | checks the number | checks the path |
// | --- | --- | --- |
// | opening a file | with its first transaction | that the lock file is its own, in this process |
// | beginning to write | yes: it must be the next one | yes |
// | after a commit | | yes, before it returns |
// | beginning to read | yes: the file must have it | yes |
// | renewing a reader | yes | with each `renewalsPerLook` renewals |
//
// The number is in memory and costs some instructions. Checking the paths of both files is two
// system calls, about a microsecond each: little beside a commit, much beside a turn that reads. A
// reader that finds out late
// reads the former file as it was, because every change of the new file changes the number.

extension Environment {
  /// Renewals of one read transaction between two looks at the path.
  static var renewalsPerLook: UInt { 256 }

  /// - Throws: `fileReplaced` if the path no longer leads to this environment's file, or the path
  ///   of the lock file to its lock file; `permissionDenied` or `io` if that cannot be determined.
  func checkPath() throws(LMDBError) {
    guard options.keepsName else { return }
    let found: FileIdentity?
    do throws(LMDBError) {
      found = try FileIdentity(at: path, allowsEmpty: true)
    } catch .notAnLMDBFile {
      found = nil
    }
    if found != identity || lockFile?.isReplaced == true { throw .fileReplaced(path: path) }
  }

  /// Compares the number that a transaction has from the lock file with those of the file itself.
  ///
  /// - Throws: `corrupted` if a page of the file could not be read; `fileReplaced` if the lock file
  ///   was cut off, or if the file does not have the commit that a reader is to see or a writer is
  ///   to follow; `writtenByAnother` if it has later ones, and the errors of `checkPath` before;
  ///   `mediumChanged` if the file has a commit more than the environment allows.
  func checkNumber(
    of transaction: OpaquePointer, isWriting: Bool
  ) throws(LMDBError) {
    if mapped.isBroken { throw .corrupted }
    if lockFile?.isLost == true { throw .fileReplaced(path: path) }
    let number = UInt64(mdb_txn_id(transaction))
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    let last = UInt64(information.me_last_txnid)
    // A writer holds the lock, so there are no other commits; beside a reader there may be.
    guard isWriting ? number == last + 1 : number <= last else {
      if number > last { throw .fileReplaced(path: path) }
      // The lock file has the number of an older file at the path, or the commits that it does not
      // tell of were made with another lock file.
      try checkPath()
      throw .writtenByAnother(path: path)
    }
    if last > lastNumberMax { throw .mediumChanged(path: path) }
  }
}
