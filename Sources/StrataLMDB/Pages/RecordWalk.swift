// SPDX-License-Identifier: Apache-2.0
import CStrata

/// A walk over the entries of a `RecordTree`, ascending, from leaf to leaf in the file's pages.
///
/// While it passes the entries of one leaf on, the walk prefetches the next one, a few lines with
/// each step: the processor prefetches by itself within a page, but not from one page to another.
/// The pages behind it are given back (`PassedPages`).
///
/// ## Invariants
/// - I1 Numbers ascend from entry to entry, whatever the file says. So each walk ends.
///
/// ## Lifetime
/// A value is valid as long as the transaction's bytes are.
///
/// ## Isolation
/// The isolation of its tree.
struct RecordWalk: ~Copyable {
  /// The receiver of an entry, which returns whether to go on.
  typealias Body = (_ number: UInt64, _ value: UnsafeRawBufferPointer) throws -> Bool

  private let transaction: Transaction
  private let root: TreeRoot
  /// The branches from the root down to the leaf, and which of their nodes lead there.
  private var path: [(branch: PageNodes, index: Int)] = []
  private var isBegun = false
  private var ahead: Prefetch
  private var passed = PassedPages()
  private var lastMark: UInt64 = 0

  /// The rest of the next leaf to prefetch.
  private struct Prefetch {
    /// The next line.
    var place: UnsafeRawPointer
    var end: UnsafeRawPointer
    var lineCountPerStep = 0

    private static var lineByteCount: Int { Int(strata_line_byte_count) }

    /// Begins with another leaf.
    ///
    /// - Parameter stepCount: the number of steps until its first entry.
    mutating func begin(_ leaf: UnsafeRawPointer, byteCount: Int, stepCount: Int) {
      place = leaf
      end = leaf + byteCount
      lineCountPerStep = (byteCount / Self.lineByteCount + stepCount - 1) / stepCount
    }

    @inline(__always)
    mutating func step() {
      guard place < end else { return }
      strata_prefetch_lines(place, lineCountPerStep)
      place += lineCountPerStep &* Self.lineByteCount
    }
  }

  init(from root: TreeRoot, in transaction: Transaction) {
    self.transaction = transaction
    self.root = root
    ahead = Prefetch(place: root.pages.start, end: root.pages.start)
  }

  /// Calls `body` with each entry, ascending, until it returns false.
  ///
  /// - Throws: `corrupted`, `pageNotFound`; `badTransaction` if the body has released the snapshot;
  ///   the errors of `body`.
  mutating func scan(_ body: Body) throws {
    while let leaf = try nextLeaf() {
      guard try scan(in: leaf, body) else { return }
      passed.pass(leaf.bytes)
    }
  }

  /// - Returns: false if `body` has.
  @inline(__always)
  private mutating func scan(in leaf: PageNodes, _ body: Body) throws -> Bool {
    // Local, because the compiler would write a property back before each call of the body.
    var (lastMark, ahead) = (lastMark, ahead)
    for index in 0..<leaf.count {
      let node = try leaf.node(at: index)
      let mark = try leaf.mark(of: node)
      guard mark > lastMark else { throw LMDBError.corrupted }
      lastMark = mark
      let value = try leaf.value(of: node, in: root.pages)
      if !leaf.holds(value) { passed.pass(value) }
      ahead.step()
      guard try body(PageNodes.number(of: mark), value) else { return false }
      guard root.epoch == transaction.epoch else { throw LMDBError.badTransaction }
    }
    (self.lastMark, self.ahead) = (lastMark, ahead)
    return true
  }

  /// The leaf behind the present one, or the first; nil at the end.
  private mutating func nextLeaf() throws(LMDBError) -> PageNodes? {
    guard isBegun else {
      isBegun = true
      return root.depth == 0 ? nil : try descend(to: root.number)
    }
    while let (branch, index) = path.popLast() {
      if index + 1 < branch.count {
        path.append((branch, index + 1))
        return try descend(to: branch.child(at: index + 1))
      }
    }
    return nil
  }

  /// The first leaf below a page, to which the path leads.
  private mutating func descend(to page: UInt64) throws(LMDBError) -> PageNodes {
    var page = page
    while path.count < root.depth - 1 {
      let branch = try root.pages.nodes(ofPage: page, .branch)
      path.append((branch, 0))
      page = try branch.child(at: 0)
    }
    let leaf = try root.pages.nodes(ofPage: page, .leaf)
    lookAhead(from: leaf)
    return leaf
  }

  /// Begins to prefetch the leaf behind this one. If it cannot be found, the walk throws when it
  /// gets there.
  private mutating func lookAhead(from leaf: PageNodes) {
    ahead.end = ahead.place
    // Nothing is known yet about the first leaf of the next branch, which is one of hundreds.
    guard let (branch, index) = path.last, index + 1 < branch.count else { return }
    guard let child = try? branch.child(at: index + 1),
      let place = try? root.pages.place(of: child)
    else { return }
    ahead.begin(place, byteCount: root.pages.pageByteCount, stepCount: leaf.count)
  }
}
