// SPDX-License-Identifier: Apache-2.0
import CStrata
import CStrataLMDB

/// A tree whose keys are numbers of 48 bits, six bytes each, read from the pages of a snapshot without
/// LMDB's calls.
///
/// It exists because to look records up was a third of a fetch. `mdb_get` takes 1,500 instructions, most
/// of them to set a cursor up and to compare keys byte by byte, and it takes one key: each look-up waits
/// for its own leaf and then for its own record. Here a key is compared as one number; its place in the
/// leaf is guessed, and mostly right; and look-ups that come together wait together, for the processor is
/// asked for all their leaves and then for all their records before the first is needed.
///
/// What makes it sound:
/// - LMDB never writes to a page that a snapshot has, as long as the snapshot's read transaction lives.
///   That rule is what all bytes rest on that `Transaction` gives out. In a write transaction pages lie
///   elsewhere: it has no mapped trees.
/// - The root comes from LMDB: the 48 bytes that it keeps under the tree's name (mdb.c: MDB_db).
/// - Pages are read by `MappedPages` and `PageNodes`, which believe nothing. So damage is an error here
///   also where LMDB would read on and die by a signal.
/// - Where anything about the file or about LMDB is not as it is known, `isReady` says no, and the caller
///   does the same with LMDB.
///
/// ## Invariants
/// - I1 `root` is of the snapshot of `epoch`, and nil until it pays to look it up.
///
/// ## Lifetime
/// It holds its transaction and follows it from snapshot to snapshot. Bytes are good as long as those of
/// `Transaction`.
///
/// ## Isolation
/// That of its transaction.
package final class MappedTree {
  private let transaction: ReadTransaction
  private let name: [UInt8]
  // Safety: `@exclusivity(unchecked)` spares each look-up run-time checks. A tree is of one isolation,
  // and no access to these runs code that could reach it again.
  @exclusivity(unchecked) private var epoch: UInt
  @exclusivity(unchecked) private var root: Root?
  /// Look-ups that were expected in this epoch while there was no root; `Int.max` when there will be none.
  @exclusivity(unchecked) private var expectedCount = 0

  /// To find the root is a look-up itself: for one look-up alone it does not pay.
  private static let lookUpCountMin = 2
  /// lmdb's own limit (mdb.c: CURSOR_STACK).
  private static let depthMax = 32
  /// Bytes of what LMDB keeps under a tree's name.
  private static let descriptionByteCount = 48

  /// A tree that the environment has opened under `name`. (Until it has opened any, LMDB does not know how
  /// names compare, and calls what is not there.)
  package init(_ tree: Tree, named name: String, in transaction: ReadTransaction) {
    self.name = Array(name.utf8)
    self.transaction = transaction
    epoch = transaction.epoch
  }

  struct Root {
    /// Of the transaction, when the root was its snapshot's.
    let epoch: UInt
    let pages: MappedPages
    let number: UInt64
    /// Pages from the root to a leaf, both counted.
    let depth: Int
  }

  /// Whether the tree can be read here, now that `count` look-ups are to come. If not, LMDB is to be
  /// asked.
  ///
  /// - Parameter count: 2 or more also for a walk.
  /// - Throws: `badTransaction`, `corrupted`, `pageNotFound`, `readersFull`, `io`.
  @inline(__always)
  package func isReady(for count: Int) throws(LMDBError) -> Bool {
    if epoch == transaction.epoch, root != nil { return true }
    return try takeRoot(for: count)
  }

  @inline(never)
  private func takeRoot(for count: Int) throws(LMDBError) -> Bool {
    if epoch != transaction.epoch {
      epoch = transaction.epoch
      root = nil
      expectedCount = 0
    }
    if expectedCount == .max { return false }
    expectedCount += min(count, Self.lookUpCountMin)
    if expectedCount < Self.lookUpCountMin { return false }
    root = try findRoot()
    if root == nil { expectedCount = .max }
    return root != nil
  }

  /// nil if there is no such tree, or not of the known kind.
  private func findRoot() throws(LMDBError) -> Root? {
    let key = name
    let found = try key.withUnsafeBufferPointer { (key) throws(LMDBError) in
      try transaction.get(UnsafeRawBufferPointer(key), in: .directory)
    }
    let environment = transaction.environment
    guard let found, found.count == Self.descriptionByteCount,
      let pages = try environment.mapped.pages(of: environment, with: found)
    else { return nil }
    guard found.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 else { return nil }
    let depth = Int(found.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    let number = found.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    guard depth <= Self.depthMax, (depth == 0) == (number == .max) else { throw .corrupted }
    return Root(epoch: transaction.epoch, pages: pages, number: number, depth: depth)
  }

  /// The root of the transaction's present snapshot.
  ///
  /// - Throws: `badTransaction` if `isReady` was not asked since that was taken.
  @inline(__always)
  func currentRoot() throws(LMDBError) -> Root {
    guard epoch == transaction.epoch, let root else { throw .badTransaction }
    return root
  }

  /// Whether `root` is that of the transaction's present snapshot.
  @inline(__always)
  func isCurrent(_ root: Root) -> Bool { root.epoch == transaction.epoch }

  // MARK: - Looking up

  /// The value under `number`; nil if there is none.
  ///
  /// - Important: `isReady` was true in this snapshot.
  /// - Throws: `corrupted`, `pageNotFound`, `badTransaction`.
  /// - Complexity: O(log n) for n entries.
  package func value(under number: UInt64) throws(LMDBError) -> UnsafeRawBufferPointer? {
    let root = try currentRoot()
    let mark = PageNodes.mark(of: number)
    guard let place = try root.leaf(for: mark) else { return nil }
    let leaf = try root.pages.nodes(ofPage: place.number, .leaf)
    guard let node = try leaf.node(withMark: mark, first: place.first) else { return nil }
    return try leaf.value(of: node, in: root.pages)
  }

  /// One of several look-ups that are done together.
  @frozen
  @usableFromInline
  package struct LookUp {
    package let number: UInt64
    /// What lies under `number`; nil if nothing does.
    @usableFromInline package internal(set) var value: UnsafeRawBufferPointer?
    /// The page of the leaf that has it, if any has.
    @usableFromInline var leaf = UInt64.max
    /// A mark that is not above the leaf's first.
    @usableFromInline var first: UInt64 = 0

    @inlinable package init(_ number: UInt64) { self.number = number }
  }

  /// So many look-ups may well be done together: more would drive one another's lines out of the
  /// processor's nearest cache before they are used.
  package static let lookUpCountMax = 32

  /// Looks all of these up, and has the values on their way to the processor.
  ///
  /// - Important: `isReady` was true in this snapshot.
  /// - Throws: `corrupted`, `pageNotFound`, `badTransaction`: of any of them.
  package func find(_ lookUps: UnsafeMutableBufferPointer<LookUp>) throws(LMDBError) {
    let root = try currentRoot()
    // The branches are few and mostly near; of the leaves it is known which lines will be read.
    for index in lookUps.indices {
      let mark = PageNodes.mark(of: lookUps[index].number)
      guard let place = try root.leaf(for: mark) else { continue }
      let page = try root.pages.place(of: place.number)
      strata_prefetch(page)
      strata_prefetch(PageNodes.placeOfOffset(guessedFor: mark, first: place.first, on: page))
      lookUps[index].leaf = place.number
      lookUps[index].first = place.first
    }
    for index in lookUps.indices where lookUps[index].leaf != .max {
      let leaf = try root.pages.nodes(ofPage: lookUps[index].leaf, .leaf)
      let guess = leaf.guess(
        of: PageNodes.mark(of: lookUps[index].number), first: lookUps[index].first)
      strata_prefetch_lines(leaf.expectedPlace(at: guess), Self.prefetchedLineCount)
    }
    for index in lookUps.indices where lookUps[index].leaf != .max {
      let leaf = try root.pages.nodes(ofPage: lookUps[index].leaf, .leaf)
      let mark = PageNodes.mark(of: lookUps[index].number)
      if let node = try leaf.node(withMark: mark, first: lookUps[index].first) {
        lookUps[index].value = try leaf.value(of: node, in: root.pages)
      }
    }
  }

  /// Lines of a record that are fetched ahead: most records have no more.
  private static let prefetchedLineCount = 3

  // MARK: - Walking

  /// A walk over all entries, ascending.
  ///
  /// - Important: `isReady` was true in this snapshot.
  /// - Throws: `badTransaction`.
  package func walk() throws(LMDBError) -> MappedWalk {
    MappedWalk(of: self, from: try currentRoot())
  }
}

extension MappedTree.Root {
  /// The page of the leaf that has `mark` if any has, and a mark that is above neither the leaf's first nor
  /// `mark`; nil if the tree is empty.
  @inline(__always)
  func leaf(
    for mark: UInt64
  ) throws(LMDBError) -> (number: UInt64, first: UInt64)? {
    guard depth > 0 else { return nil }
    var number = number
    var first = PageNodes.emptyMark
    for _ in 1..<depth {
      let branch = try pages.nodes(ofPage: number, .branch)
      let index: Int
      (index, first) = try branch.indexOfChild(for: mark, first: first)
      number = try branch.child(at: index)
    }
    return (number, first)
  }
}
