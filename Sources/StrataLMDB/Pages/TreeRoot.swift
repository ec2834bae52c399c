// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The page at which a tree begins in one snapshot, from which its other pages are read directly.
///
/// The reasons why reading pages is sound:
/// - LMDB never writes to a page of a snapshot as long as the snapshot's read transaction lives.
///   All bytes that `Transaction` returns depend on that rule. In a write transaction, whose pages
///   are elsewhere, LMDB's calls are used.
/// - The root comes from LMDB: the 48 bytes that it keeps under the tree's name (mdb.c: MDB_db).
/// - `MappedPages`, `PageNodes` and `EntryNodes` read pages without trusting their content. So
///   damage is an error even where LMDB would read on and die by a signal.
/// - LMDB's calls are used wherever the file or liblmdb differs from the known form.
///
/// `STRATA_LMDB_PAGES=0` in the environment makes all reads use LMDB's calls.
struct TreeRoot {
  /// The transaction's epoch when the root was read.
  let epoch: UInt
  let pages: MappedPages
  let number: UInt64
  /// Pages from the root to a leaf, both counted; 0 for an empty tree.
  let depth: Int

  /// lmdb's own limit (mdb.c: CURSOR_STACK).
  private static let depthMax = 32
  /// The number of bytes that LMDB keeps under a tree's name.
  private static let descriptionByteCount = 48

  /// Whether pages are read where nothing else is asked for.
  static let isUsed = getenv("STRATA_LMDB_PAGES").map { String(cString: $0) } != "0"

  /// The root of a tree; nil if there is no such tree, or not of the known kind.
  ///
  /// - Parameter transaction: a read transaction.
  /// - Throws: `corrupted`, `pageNotFound`, `badTransaction`, `readersFull`, `io`.
  static func find(
    _ name: [UInt8], in transaction: Transaction
  ) throws(LMDBError) -> TreeRoot? {
    let found = try name.withUnsafeBufferPointer { (name) throws(LMDBError) in
      try transaction.get(UnsafeRawBufferPointer(name), in: .directory)
    }
    let environment = transaction.environment
    guard let found, found.count == descriptionByteCount,
      let pages = try environment.mapped.pages(of: environment, with: found)
    else { return nil }
    guard found.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 else { return nil }
    let depth = Int(found.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    let number = found.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    guard depth <= depthMax, (depth == 0) == (number == .max) else { throw .corrupted }
    return TreeRoot(epoch: transaction.epoch, pages: pages, number: number, depth: depth)
  }
}
