// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
public import CStrataLMDB

/// A named tree of an environment: keys in byte order, one value under each.
///
/// All trees are plain. With sorted duplicates (lmdb.h: MDB_DUPSORT) liblmdb 0.9.24 and later skip
/// live entries after `mdb_cursor_del`, and MDB_DUPFIXED takes values of two sizes without a word;
/// a compound key in a plain tree says the same and is sound.
///
/// ## Lifetime
/// A tree is a number that its environment gave out. It is good for all transactions of that
/// environment that begin after the tree was opened, until the environment closes or the tree is
/// dropped. One that a write transaction opened is good elsewhere only once that has committed.
@usableFromInline
package struct Tree: Hashable, Sendable {
  @usableFromInline let handle: MDB_dbi
  /// The seed of the digests of the entries (`ContentSeal`).
  let seed: UInt64

  private init(handle: MDB_dbi, seed: UInt64) { (self.handle, self.seed) = (handle, seed) }

  /// A small number that no other tree of the environment has.
  package var index: Int { Int(handle) }

  /// The tree of the trees' names, and of notes (`Transaction.note`). Names are never written to
  /// it.
  @usableFromInline static var directory: Tree { Tree(handle: 1, seed: ContentSeal.seedOfNotes) }

  /// The tree of the pages that are free, by the commit that freed them. It is only counted.
  static var freePages: Tree { Tree(handle: 0, seed: 0) }

  /// Opens `name` in a transaction.
  ///
  /// - Returns: nil when there is no such tree and `creates` is false.
  init?(named name: String, in transaction: OpaquePointer, creates: Bool) throws(LMDBError) {
    var handle: MDB_dbi = 0
    let code =
      creates
      ? guarded_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle)
      : mdb_dbi_open(transaction, name, 0, &handle)
    if code == MDB_NOTFOUND { return nil }
    try check(code)
    var flags: UInt32 = 0
    try check(mdb_dbi_flags(transaction, handle, &flags))
    guard flags == 0 else { throw .incompatibleTree }
    self.init(handle: handle, seed: ContentSeal.seed(ofTree: name))
  }
}
