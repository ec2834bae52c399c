// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// A position in a tree that moves along its keys in byte order: in the file's pages, or by LMDB's
/// cursor where no pages are read (`TreeRoot` says when).
///
/// A step of LMDB's cursor takes 150 instructions, most of a walk over an index. A step within a
/// page takes twenty.
///
/// It follows its transaction: when a read transaction was renewed, the next absolute move (first,
/// last, seek) takes it to the new snapshot, so that one cursor serves turn after turn.
///
/// ## Invariants
/// - I1 `root` and the pages of `path` and `leaf` are of the snapshot of `epoch`, or of another of
/// the same number.
/// - I2 Leaves ascend in a walk forwards and descend in a walk backwards, whatever the file says:
/// the first key of each is above the last one of the leaf before. So each walk ends.
///
/// ## Lifetime
/// Holds its transaction. `key` and `value` are valid after a move that returned true, until the
/// next move and as long as the transaction's bytes are.
///
/// ## Isolation
/// The isolation of its transaction.
@usableFromInline
package struct EntryCursor: ~Copyable {
  @usableFromInline let transaction: Transaction
  private let tree: Tree
  private let name: [UInt8]
  private let readsPages: Bool
  @usableFromInline var epoch: UInt
  private var root: TreeRoot?
  /// The number of the snapshot in which `root` was found.
  private var rootSnapshot: UInt64 = 0
  /// Moves if no pages are read.
  private var cursor: Cursor?
  private var isMovedByLMDB = false
  /// The branches from the root down to the leaf, and which of their nodes lead there.
  private var path: [(branch: EntryNodes, index: Int)] = []
  @usableFromInline var leaf: EntryNodes?
  @usableFromInline var index = 0
  /// The number of nodes of the leaf; 0 if there is none.
  @usableFromInline var count = 0

  /// The key of the entry that the cursor is on.
  @usableFromInline package internal(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The value of the entry that the cursor is on.
  @usableFromInline package internal(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

  /// A cursor on a tree that the environment has opened under `name`, not yet on any entry.
  package init(
    on tree: Tree, named name: String, in transaction: Transaction,
    readsPages: Bool = RecordTree.readsPages
  ) {
    self.transaction = transaction
    self.tree = tree
    self.name = Array(name.utf8)
    self.readsPages = readsPages && transaction is ReadTransaction
    epoch = transaction.epoch
  }

  // MARK: - Absolute moves

  /// Moves to the first entry.
  ///
  /// - Returns: false when the tree is empty.
  /// - Throws: `badTransaction`, `badTree`, `corrupted`, `pageNotFound`, `outOfMemory`,
  ///   `readersFull`, `io`, as all moves do.
  package mutating func first() throws(LMDBError) -> Bool {
    guard let root = try renewedRoot() else {
      return try byCursor { (cursor) throws(LMDBError) in try cursor.first() }
    }
    return try descend(from: root) { _ in 0 }
  }

  /// Moves to the last entry.
  ///
  /// - Returns: false when the tree is empty.
  package mutating func last() throws(LMDBError) -> Bool {
    guard let root = try renewedRoot() else {
      return try byCursor { (cursor) throws(LMDBError) in try cursor.last() }
    }
    return try descend(from: root) { $0.count &- 1 }
  }

  /// Moves to the first entry whose key is `bound` or above.
  ///
  /// - Returns: false when all keys are below; the cursor then has no position.
  package mutating func seek(
    atOrAbove bound: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    guard let root = try renewedRoot() else {
      return try byCursor { (cursor) throws(LMDBError) in try cursor.seek(atOrAbove: bound) }
    }
    guard root.depth > 0 else { return false }
    var page = root.number
    for _ in 1..<root.depth {
      let branch = try root.pages.entryNodes(ofPage: page, .branch)
      let index = try branch.indexOfChild(for: bound)
      path.append((branch, index))
      page = try branch.child(at: index)
    }
    let leaf = try root.pages.entryNodes(ofPage: page, .leaf)
    let index = try leaf.index(ofFirstNotBelow: bound)
    if index < leaf.count { return try show(index, of: leaf) }
    // Between the last key of the leaf and the first one of the next.
    _ = try show(leaf.count &- 1, of: leaf)
    guard try next() else { return false }
    if key.isBelow(bound) { throw .corrupted }
    return true
  }

  /// Moves to the entry under `key`.
  ///
  /// - Returns: false if there is no such entry.
  package mutating func seek(exactly key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
    try seek(atOrAbove: key) && self.key.isEqual(to: key)
  }

  // MARK: - Steps

  /// Moves to the entry after this one.
  ///
  /// - Precondition: the cursor is on an entry, and its transaction was not renewed since.
  /// - Returns: false behind the last entry.
  @inlinable @inline(__always)
  package mutating func next() throws(LMDBError) -> Bool {
    guard index &+ 1 < count, let leaf, epoch == transaction.epoch else {
      return try nextElsewhere()
    }
    index &+= 1
    try take(index, of: leaf)
    return true
  }

  /// Moves to the entry before this one.
  ///
  /// - Precondition: the cursor is on an entry, and its transaction was not renewed since.
  /// - Returns: false before the first entry.
  @inlinable @inline(__always)
  package mutating func previous() throws(LMDBError) -> Bool {
    guard index > 0, let leaf, epoch == transaction.epoch else { return try previousElsewhere() }
    index &-= 1
    try take(index, of: leaf)
    return true
  }

  // MARK: - A leaf at once

  /// The last key of the leaf that the cursor is in, or the first one; nil if LMDB moves.
  package func keyAtEndOfLeaf(isReversed: Bool) throws(LMDBError) -> UnsafeRawBufferPointer? {
    try leaf?.key(at: isReversed ? 0 : count &- 1)
  }

  /// The sum of `body` over the entries of the leaf behind this one, or before it.
  ///
  /// - Parameter body: the number of bytes of an entry's key, and its value.
  @inlinable @inline(__always)
  package func sumToEndOfLeaf(
    isReversed: Bool, _ body: (Int, UnsafeRawBufferPointer) throws -> Int
  ) throws -> Int {
    guard let leaf, epoch == transaction.epoch else { return 0 }
    var sum = 0
    var place = isReversed ? 0 : index &+ 1
    let end = isReversed ? index : count
    while place < end {
      // An index has no long values.
      guard let (key, value) = try leaf.entry(at: place) else { throw LMDBError.corrupted }
      sum &+= try body(key.count, value)
      place &+= 1
    }
    return sum
  }

  /// Moves to the last entry of the leaf, or to the first one.
  package mutating func moveToEndOfLeaf(isReversed: Bool) throws(LMDBError) {
    guard let leaf, epoch == transaction.epoch else { return }
    index = isReversed ? 0 : count &- 1
    try take(index, of: leaf)
  }

  @inline(never)
  @usableFromInline mutating func nextElsewhere() throws(LMDBError) -> Bool {
    guard let (leaf, root) = try place() else {
      return try byCursor { (cursor) throws(LMDBError) in try cursor.next() }
    }
    let last = try leaf.key(at: leaf.count &- 1)
    while let (branch, index) = path.popLast() {
      if index &+ 1 == branch.count { continue }
      path.append((branch, index &+ 1))
      guard try descend(from: root, to: try branch.child(at: index &+ 1), { _ in 0 }) else {
        return false
      }
      guard last.isBelow(key) else { throw .corrupted }
      return true
    }
    leave()
    return false
  }

  @inline(never)
  @usableFromInline mutating func previousElsewhere() throws(LMDBError) -> Bool {
    guard let (leaf, root) = try place() else {
      return try byCursor { (cursor) throws(LMDBError) in try cursor.previous() }
    }
    let first = try leaf.key(at: 0)
    while let (branch, index) = path.popLast() {
      if index == 0 { continue }
      path.append((branch, index &- 1))
      guard try descend(from: root, to: try branch.child(at: index &- 1), { $0.count &- 1 }) else {
        return false
      }
      guard key.isBelow(first) else { throw .corrupted }
      return true
    }
    leave()
    return false
  }

  // MARK: - In pages

  /// The leaf and the root; nil if LMDB's cursor moves.
  private func place() throws(LMDBError) -> (EntryNodes, TreeRoot)? {
    require(epoch == transaction.epoch, "The cursor's snapshot is gone: seek before a step.")
    guard let leaf, let root else { return nil }
    return (leaf, root)
  }

  /// The root in the transaction's snapshot; nil if LMDB's cursor is to move.
  private mutating func renewedRoot() throws(LMDBError) -> TreeRoot? {
    leave()
    if epoch == transaction.epoch, root != nil || isMovedByLMDB { return root }
    epoch = transaction.epoch
    guard readsPages else { return nil }
    guard transaction.isLive else { throw .badTransaction }
    // Mostly there was no commit since the last turn.
    let snapshot = transaction.transactionID
    if root == nil || snapshot != rootSnapshot {
      root = try TreeRoot.find(name, in: transaction)
      rootSnapshot = snapshot
    }
    return root
  }

  /// Leaves the cursor without a position in pages.
  private mutating func leave() {
    path.removeAll(keepingCapacity: true)
    leaf = nil
    (index, count) = (0, 0)
  }

  /// Moves to an entry of the leaf below the root, or below a page to which the path leads.
  ///
  /// - Parameter choose: the index of a node, in each page on the way down.
  private mutating func descend(
    from root: TreeRoot, to page: UInt64? = nil, _ choose: (EntryNodes) -> Int
  ) throws(LMDBError) -> Bool {
    guard root.depth > 0 else { return false }
    var page = page ?? root.number
    while path.count < root.depth &- 1 {
      let branch = try root.pages.entryNodes(ofPage: page, .branch)
      path.append((branch, choose(branch)))
      page = try branch.child(at: choose(branch))
    }
    let leaf = try root.pages.entryNodes(ofPage: page, .leaf)
    return try show(choose(leaf), of: leaf)
  }

  /// Moves to an entry of a leaf to which the path leads.
  private mutating func show(
    _ index: Int, of leaf: EntryNodes
  ) throws(LMDBError) -> Bool {
    if leaf.count > 1 {
      let last = try leaf.key(at: leaf.count &- 1)
      guard try leaf.key(at: 0).isBelow(last) else { throw .corrupted }
    }
    self.leaf = leaf
    (self.index, count) = (index, leaf.count)
    try take(index, of: leaf)
    return true
  }

  /// Takes key and value of a node of the leaf.
  @inlinable @inline(__always)
  mutating func take(_ index: Int, of leaf: EntryNodes) throws(LMDBError) {
    guard let entry = try leaf.entry(at: index) else { return try takeLong(index, of: leaf) }
    (key, value) = entry
  }

  @inline(never)
  @usableFromInline mutating func takeLong(_ index: Int, of leaf: EntryNodes) throws(LMDBError) {
    guard let root else { throw .badTransaction }
    (key, value) = try leaf.longEntry(at: index, in: root.pages)
  }

  // MARK: - By LMDB

  private mutating func byCursor(
    _ move: (inout Cursor) throws(LMDBError) -> Bool
  ) throws(LMDBError) -> Bool {
    var moved: Cursor
    if let cursor = cursor.take() {
      moved = cursor
    } else {
      moved = try transaction.cursor(in: tree)
    }
    isMovedByLMDB = true
    do throws(LMDBError) {
      let isOnEntry = try move(&moved)
      (key, value) = (moved.key, moved.value)
      cursor = consume moved
      return isOnEntry
    } catch {
      cursor = consume moved
      throw error
    }
  }
}
