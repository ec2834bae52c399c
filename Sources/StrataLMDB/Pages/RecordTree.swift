// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives

/// A tree whose keys are numbers of 48 bits (`RecordKey`), in one transaction: the only access to
/// records. It reads them from the file's pages, or by LMDB's calls.
///
/// Pages are read directly because looking records up was a third of a fetch. `mdb_get` takes 1,500
/// instructions, most of them to set a cursor up and to compare keys byte by byte, and it takes one
/// key: each look-up waits for its own leaf and then for its own record. Here a key is compared as
/// one number; its position in the leaf is guessed, and mostly right; and look-ups in a group wait
/// together, because the processor is asked for all their leaves and then for all their records
/// before the first is needed.
///
/// `TreeRoot` has the reasons why it is sound.
///
/// ## Invariants
/// - I1 `root` is of the snapshot of `epoch`, and nil until it pays to look it up.
///
/// ## Lifetime
/// It holds its transaction and follows it from snapshot to snapshot. Bytes are valid as long as
/// those of `Transaction`.
///
/// ## Isolation
/// The isolation of its transaction.
package final class RecordTree {
  private let tree: Tree
  private let name: [UInt8]
  private let transaction: Transaction
  private let readsPages: Bool
  private var epoch: UInt
  private var root: TreeRoot?
  /// Look-ups that were expected in this epoch while there was no root; `Int.max` when there will
  /// be none.
  private var expectedCount = 0

  /// The search for the root is a look-up itself: it does not pay for a single look-up.
  private static let lookUpCountMin = 2
  /// Whether pages are read where nothing else is asked for.
  package static let readsPages = TreeRoot.isUsed

  /// A tree that the environment has opened under `name`. (Before it has opened any, LMDB does not
  /// know how names compare, and a call for a missing name crashes.)
  package init(
    _ tree: Tree, named name: String, in transaction: Transaction,
    readsPages: Bool = RecordTree.readsPages
  ) {
    self.tree = tree
    self.name = Array(name.utf8)
    self.transaction = transaction
    self.readsPages = readsPages && transaction is ReadTransaction
    epoch = transaction.epoch
  }

  /// The root, now that `count` look-ups are to come; nil if LMDB is to be asked: in a write
  /// transaction, in a file that is not of the known form, and if finding the root does not pay for
  /// so few look-ups.
  ///
  /// - Parameter count: 2 or more also for a walk.
  @inline(__always)
  func root(for count: Int) throws(LMDBError) -> TreeRoot? {
    if epoch == transaction.epoch, let root { return root }
    return try takeRoot(for: count)
  }

  @inline(never)
  private func takeRoot(for count: Int) throws(LMDBError) -> TreeRoot? {
    guard readsPages else { return nil }
    if epoch != transaction.epoch {
      epoch = transaction.epoch
      root = nil
      expectedCount = 0
    }
    if expectedCount == .max { return nil }
    expectedCount += min(count, Self.lookUpCountMin)
    if expectedCount < Self.lookUpCountMin, transaction.environment.isChecked { return nil }
    root = try TreeRoot.find(name, in: transaction)
    if root == nil { expectedCount = .max }
    return root
  }

  // MARK: - Looking up

  /// The value under `number`, or nil.
  ///
  /// - Throws: `corrupted`, `pageNotFound`, `badTransaction`, `badTree`, `readersFull`, `io`.
  /// - Complexity: O(log n) for n entries.
  package func value(under number: UInt64) throws(LMDBError) -> UnsafeRawBufferPointer? {
    if let root = try root(for: 1) { return try root.value(under: number) }
    return try RecordKey(number).withBytes { (key) throws(LMDBError) in
      try transaction.get(key, in: tree)
    }
  }

  /// One of several look-ups that are done together.
  @frozen
  @usableFromInline
  package struct LookUp {
    package let number: UInt64
    /// The value under `number`, or nil.
    @usableFromInline package internal(set) var value: UnsafeRawBufferPointer?
    /// The page of the leaf that has it, if any has.
    @usableFromInline var leaf = UInt64.max
    /// A mark that is not above the leaf's first.
    @usableFromInline var first: UInt64 = 0

    @inlinable package init(_ number: UInt64) { self.number = number }
  }

  /// Batch size: larger batches evict their own prefetched lines from the processor's nearest
  /// cache.
  package static let lookUpCountMax = 32

  /// Looks all of these up, and prefetches their values.
  ///
  /// - Returns: false if they must be looked up one by one: if no pages are read, and if one of the
  ///   needed pages is damaged, so that values in the others are found.
  /// - Throws: `badTransaction`, `readersFull`, `io`.
  package func find(_ lookUps: UnsafeMutableBufferPointer<LookUp>) throws(LMDBError) -> Bool {
    do throws(LMDBError) {
      guard let root = try root(for: lookUps.count) else { return false }
      try root.find(lookUps)
      return true
    } catch .corrupted, .pageNotFound {
      return false
    }
  }

  // MARK: - Walking

  /// Calls `body` with each entry, ascending by number, until it returns false.
  ///
  /// - Throws: as `value(under:)`; `badTransaction` if the body has released the snapshot; the
  ///   errors of `body`.
  package func scan(
    _ body: (_ number: UInt64, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    guard let root = try root(for: .max) else { return try scanByCursor(body) }
    var walk = RecordWalk(from: root, in: transaction)
    try walk.scan(body)
  }

  private func scanByCursor(
    _ body: (_ number: UInt64, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let epoch = transaction.epoch
    var cursor = try transaction.cursor(in: tree)
    var passed = PassedPages()
    var last: UInt64?
    while try cursor.next() {
      guard let number = RecordKey.number(of: cursor.key), last.map({ $0 < number }) ?? true
      else { throw LMDBError.corrupted }
      last = number
      // Pages of a write transaction are in LMDB's own memory.
      if !transaction.freesCursors { passed.pass(cursor.value) }
      guard try body(number, cursor.value) else { return }
      guard epoch == transaction.epoch else { throw LMDBError.badTransaction }
    }
  }
}

// MARK: - In pages

extension TreeRoot {
  fileprivate func value(under number: UInt64) throws(LMDBError) -> UnsafeRawBufferPointer? {
    let mark = PageNodes.mark(of: number)
    guard let place = try self.leaf(for: mark) else { return nil }
    let leaf = try pages.nodes(ofPage: place.number, .leaf)
    guard let node = try leaf.node(withMark: mark, first: place.first) else { return nil }
    return try leaf.value(of: node, in: pages)
  }

  fileprivate func find(
    _ lookUps: UnsafeMutableBufferPointer<RecordTree.LookUp>
  ) throws(LMDBError) {
    // The branches are few and mostly near; of the leaves it is known which lines will be read.
    for index in lookUps.indices {
      let mark = PageNodes.mark(of: lookUps[index].number)
      guard let place = try self.leaf(for: mark) else { continue }
      let page = try pages.place(of: place.number)
      strata_prefetch(page)
      strata_prefetch(PageNodes.placeOfOffset(guessedFor: mark, first: place.first, on: page))
      lookUps[index].leaf = place.number
      lookUps[index].first = place.first
    }
    for index in lookUps.indices where lookUps[index].leaf != .max {
      let leaf = try pages.nodes(ofPage: lookUps[index].leaf, .leaf)
      let guess = leaf.guess(
        of: PageNodes.mark(of: lookUps[index].number), first: lookUps[index].first)
      strata_prefetch_lines(leaf.expectedPlace(at: guess), Self.prefetchedLineCount)
    }
    for index in lookUps.indices where lookUps[index].leaf != .max {
      let leaf = try pages.nodes(ofPage: lookUps[index].leaf, .leaf)
      let mark = PageNodes.mark(of: lookUps[index].number)
      if let node = try leaf.node(withMark: mark, first: lookUps[index].first) {
        lookUps[index].value = try leaf.value(of: node, in: pages)
      }
    }
  }

  /// Lines of a record that are fetched ahead: most records have no more.
  private static let prefetchedLineCount = 3

  /// The page of the leaf that has `mark` if any has, and a mark that is above neither the leaf's
  /// first nor `mark`; nil if the tree is empty.
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
