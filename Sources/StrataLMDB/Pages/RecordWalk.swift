// SPDX-License-Identifier: Apache-2.0
import CStrata

/// A walk over the entries of a `RecordTree`, ascending: from leaf to leaf in the file's pages, or
/// by a cursor if no pages are read.
///
/// While it returns the entries of one leaf, the walk prefetches the next one, a few lines with
/// each step: the processor prefetches by itself within a page, but not from one page to another.
/// The pages behind it are given back (`PassedPages`).
///
/// ## Invariants
/// - I1 Numbers ascend from step to step, whatever the file says. So each walk ends.
///
/// ## Lifetime
/// `value` is valid as long as the transaction's bytes are.
///
/// ## Isolation
/// The isolation of its tree.
package struct RecordWalk: ~Copyable {
  private let transaction: Transaction
  /// The transaction's epoch at the beginning of the walk.
  private let epoch: UInt
  /// Where the walk began; nil if LMDB walks.
  private let root: RecordTree.Root?
  private var cursor: Cursor?
  /// The branches from the root down to the leaf, and which of their nodes lead there.
  private var path: [(branch: PageNodes, index: Int)] = []
  /// The leaf that the walk is in; nil before the first.
  private var leaf: PageNodes?
  /// The next node in it.
  private var index = 0
  private var count = 0
  /// The rest of the next leaf to prefetch: its next line, and its end.
  private var ahead: UnsafeRawPointer?
  private var aheadEnd: UnsafeRawPointer?
  private var aheadLineCountPerStep = 0
  private var passed = PassedPages()
  private var lastMark: UInt64 = 0

  private static var lineByteCount: Int { Int(strata_line_byte_count) }

  /// The number that the last step has come to.
  package var number: UInt64 { PageNodes.number(of: lastMark) }
  /// The value under the number.
  package private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

  init(from root: RecordTree.Root, in transaction: Transaction) {
    self.transaction = transaction
    epoch = root.epoch
    self.root = root
    ahead = root.pages.start
    aheadEnd = ahead
  }

  init(by cursor: consuming Cursor, in transaction: Transaction) {
    self.transaction = transaction
    epoch = transaction.epoch
    root = nil
    self.cursor = consume cursor
    ahead = nil
    aheadEnd = nil
  }

  /// Moves to the next entry.
  ///
  /// - Returns: false behind the last one.
  /// - Throws: `corrupted`, `pageNotFound`; `badTransaction` if the snapshot was released.
  @inline(__always)
  package mutating func next() throws(LMDBError) -> Bool {
    guard epoch == transaction.epoch else { throw .badTransaction }
    guard index < count, let leaf, let root else { return try nextElsewhere() }
    try step(in: leaf, root.pages)
    return true
  }

  @inline(never)
  private mutating func nextElsewhere() throws(LMDBError) -> Bool {
    guard let root else { return try nextByCursor() }
    if let leaf { passed.pass(leaf.bytes) }
    guard let next = try nextLeaf(below: root) else { return false }
    leaf = next
    index = 0
    count = next.count
    try step(in: next, root.pages)
    return true
  }

  private mutating func nextByCursor() throws(LMDBError) -> Bool {
    guard try cursor?.next() == true else { return false }
    guard let key = cursor?.key, let found = cursor?.value,
      let mark = RecordKey.number(of: key).map(PageNodes.mark), mark > lastMark
    else { throw .corrupted }
    lastMark = mark
    value = found
    // Pages of a write transaction are in LMDB's own memory.
    if !transaction.freesCursors { passed.pass(found) }
    return true
  }

  /// - Precondition: `index` is below `count`, the leaf's.
  @inline(__always)
  private mutating func step(in leaf: PageNodes, _ pages: MappedPages) throws(LMDBError) {
    let node = try leaf.node(at: index)
    let mark = try leaf.mark(of: node)
    guard mark > lastMark else { throw .corrupted }
    value = try leaf.value(of: node, in: pages)
    if !leaf.holds(value) { passed.pass(value) }
    lastMark = mark
    index &+= 1
    if let place = ahead, let aheadEnd, place < aheadEnd {
      strata_prefetch_lines(place, aheadLineCountPerStep)
      ahead = place + aheadLineCountPerStep &* Self.lineByteCount
    }
  }

  /// The leaf behind the present one, or the first; nil at the end.
  private mutating func nextLeaf(below root: RecordTree.Root) throws(LMDBError) -> PageNodes? {
    if leaf == nil {
      return root.depth == 0 ? nil : try descend(to: root.number, below: root)
    }
    while let (branch, index) = path.popLast() {
      if index + 1 < branch.count {
        path.append((branch, index + 1))
        return try descend(to: branch.child(at: index + 1), below: root)
      }
    }
    return nil
  }

  /// The first leaf below a page, to which the path leads.
  private mutating func descend(
    to page: UInt64, below root: RecordTree.Root
  ) throws(LMDBError) -> PageNodes {
    var page = page
    while path.count < root.depth - 1 {
      let branch = try root.pages.nodes(ofPage: page, .branch)
      path.append((branch, 0))
      page = try branch.child(at: 0)
    }
    let leaf = try root.pages.nodes(ofPage: page, .leaf)
    lookAhead(from: leaf, root.pages)
    return leaf
  }

  /// Begins to prefetch the leaf behind this one. If it cannot be found, the walk throws when it
  /// gets there.
  private mutating func lookAhead(from leaf: PageNodes, _ pages: MappedPages) {
    aheadEnd = ahead
    // Of the first leaf of the next branch nothing is known yet. That is one of hundreds.
    guard let (branch, index) = path.last, index + 1 < branch.count else { return }
    guard let child = try? branch.child(at: index + 1),
      let place = try? pages.place(of: child)
    else { return }
    ahead = place
    aheadEnd = place + pages.pageByteCount
    let lineCount = pages.pageByteCount / Self.lineByteCount
    aheadLineCountPerStep = (lineCount + leaf.count - 1) / leaf.count
  }
}
