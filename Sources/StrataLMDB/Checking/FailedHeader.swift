// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives
import Synchronization

/// A header that LMDB has put back after it failed to write the header of a commit.
///
/// Commit n writes to the header of commit n - 2. If the system refuses that, LMDB puts the number
/// of commit n - 2 back, but not its trees (mdb.c: `mdb_env_write_meta`). The header is not in
/// force, so the file is sound. But the seal of commit n - 1 has the digest of the header as it
/// was. So the digest of the header as it is now is noted beside the file, until a commit writes to
/// it again.
///
/// This process remembers it as well: a full disk that refuses the header may refuse the note.
struct FailedHeader: Equatable {
  private static let form: UInt64 = 2
  private static let wordCount = 2
  /// Of files of this process whose headers have failed: few.
  private static let remembered = CountedMutex<[(file: FileIdentity, header: FailedHeader)]>([])

  private let digest: UInt64

  init(digest: UInt64) { self.digest = digest }

  /// The one that is noted beside a file; nil if none is.
  private init?(notedBeside file: Int32) {
    guard let words = FileNote.words(beside: file, count: Self.wordCount), words[0] == Self.form
    else { return nil }
    digest = words[1]
  }

  /// Whether it is noted beside the file, or remembered.
  func isKnown(of file: Int32) -> Bool {
    if FailedHeader(notedBeside: file) == self { return true }
    guard let identity = try? FileIdentity(of: file) else { return false }
    return Self.remembered.withLock { remembered in
      remembered.contains { $0.file == identity && $0.header == self }
    }
  }

  func note(of file: Int32) {
    FileNote.setWords([Self.form, digest], beside: file)
    guard let identity = try? FileIdentity(of: file) else { return }
    Self.remembered.withLock { remembered in
      remembered.removeAll { $0.file == identity }
      remembered.append((identity, self))
    }
  }
}

extension Environment {
  /// Whether the header that the next commit replaces has been put back. Without the note the file
  /// reads as damaged.
  var hasFailedHeader: Bool {
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    let next = UInt64(information.me_last_txnid) &+ 1
    guard let digest = try? FileHeader.digest(ofCommit: next, in: self) else { return false }
    return FailedHeader(digest: digest).isKnown(of: file)
  }

  /// Notes the header that a commit was to replace, after the commit has failed; and whether LMDB
  /// refuses all transactions from now on.
  ///
  /// - Parameter number: of the commit.
  func noteFailedCommit(_ number: UInt64) {
    var probe: OpaquePointer?
    let code = mdb_txn_begin(raw, nil, UInt32(MDB_RDONLY), &probe)
    if code == 0 { mdb_txn_abort(probe) } else { _ = failure(code) }
    guard options.keepsName else { return }
    lastStamp.withLock { $0 = nil }
    if let digest = try? FileHeader.digest(ofCommit: number, in: self) {
      FailedHeader(digest: digest).note(of: file)
    }
  }
}
