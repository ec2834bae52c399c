// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// A branch or leaf, all of which was checked: its head, the bounds of each node, and that the
/// nodes fill the page from `upper` to its end, without gaps and without overlaps.
///
/// LMDB moves nodes by the sizes and offsets that a page states. With a page that passes this
/// check it stays within the page. `MappedPages` has the form of a page.
///
/// ## Invariants
/// - I1 The nodes are disjoint and within the page. Therefore sizes and offsets can be used without
///   a check.
///
/// ## Lifetime
/// The lifetime of the bytes that it was made of.
package struct CheckedPage {
  private let page: UnsafeRawPointer
  package let count: Int
  package let kind: PageKind

  /// A node's value.
  package enum Value {
    case bytes(UnsafeRawBufferPointer)
    /// The first page of a long value, and its number of bytes.
    case pages(UInt64, byteCount: Int)
    /// The description of a tree.
    case tree(UnsafeRawBufferPointer)
  }

  private static let nodeHeadByteCount = 8
  private static let isOnOwnPages: UInt16 = 1
  private static let isTree: UInt16 = 2

  /// - Parameters:
  ///   - page: `pageByteCount` readable bytes.
  ///   - number: the number that leads to the page.
  ///   - kind: the kind that the page's place in the tree requires.
  package init(
    _ page: UnsafeRawPointer, _ pageByteCount: Int, number: UInt64, kind: PageKind
  ) throws(PageFlaw) {
    func field(_ offset: Int) -> Int {
      Int(page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    guard page.loadUnaligned(as: UInt64.self) == number else { throw .number }
    // Exactly: other flags have a meaning while LMDB writes the page.
    guard field(10) == Int(kind.rawValue) else { throw .kind }
    let lower = field(12)
    let upper =
      StorageFault.upperUnchecked.isPlanted
      ? Self.lowestStart(on: page, pageByteCount, lower: lower) : field(14)
    guard lower > MappedPages.headByteCount, lower & 1 == 0, lower <= upper,
      upper <= pageByteCount
    else { throw .bounds }
    self.page = page
    self.kind = kind
    count = (lower - MappedPages.headByteCount) / 2
    let areSound = Self.areNodesSound(
      page, count: (lower - MappedPages.headByteCount) / 2, from: upper, to: pageByteCount, kind)
    guard areSound else { throw .entries }
  }

  /// Where the first of the nodes begins, whatever `upper` says: only for a planted fault.
  private static func lowestStart(
    on page: UnsafeRawPointer, _ pageByteCount: Int, lower: Int
  ) -> Int {
    stride(from: MappedPages.headByteCount, to: min(lower, pageByteCount) - 1, by: 2)
      .map { Int(page.loadUnaligned(fromByteOffset: $0, as: UInt16.self)) }.min() ?? pageByteCount
  }

  /// Whether each node is as its kind requires, and the nodes fill the space exactly.
  ///
  /// They do if each place at which one begins is one at which another ends, except for the first
  /// and the last, and no two begin or end at one place. Nodes begin and end at even places.
  private static func areNodesSound(
    _ page: UnsafeRawPointer, count: Int, from upper: Int, to pageByteCount: Int, _ kind: PageKind
  ) -> Bool {
    let wordCount = pageByteCount / 128 + 1
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * wordCount) { words in
      words.initialize(repeating: 0)
      // A bit for each place at which a node begins, or the end of the page; behind them one for
      // each at which a node ends, or the begin of the first.
      func takes(_ place: Int, in half: Int) -> Bool {
        let word = half * wordCount + place / 128
        let bit = UInt64(1) << UInt64(place / 2 % 64)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
      }
      guard takes(pageByteCount, in: 0), takes(upper, in: 1) else { return false }
      for index in 0..<count {
        let offset = MappedPages.headByteCount + 2 * index
        let start = Int(page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        guard start >= upper,
          let end = end(ofNodeAt: start, of: page, pageByteCount, kind),
          takes(start, in: 0), takes(end, in: 1)
        else { return false }
      }
      return words[..<wordCount].elementsEqual(words[wordCount...])
    }
  }

  /// Where a node ends, with the byte that makes its size even; nil for a node that is none of its
  /// kind, or not within the page.
  private static func end(
    ofNodeAt start: Int, of page: UnsafeRawPointer, _ pageByteCount: Int, _ kind: PageKind
  ) -> Int? {
    func field(_ offset: Int) -> Int {
      Int(page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    guard start & 1 == 0, start <= pageByteCount - nodeHeadByteCount else { return nil }
    let keyByteCount = field(start + 6)
    guard keyByteCount <= Environment.keyByteCountMax else { return nil }
    var byteCount = nodeHeadByteCount + keyByteCount
    if kind == .leaf {
      switch UInt16(truncatingIfNeeded: field(start + 4)) {
      case 0: byteCount += field(start) | field(start + 2) << 16
      case isTree:
        guard field(start) == TreeDescription.byteCount, field(start + 2) == 0 else { return nil }
        byteCount += TreeDescription.byteCount
      case isOnOwnPages: byteCount += 8
      default: return nil
      }
    }
    let end = start + (byteCount + 1) & ~1
    return end <= pageByteCount ? end : nil
  }

  private func start(at index: Int) -> UnsafeRawPointer {
    page
      + Int(
        page.loadUnaligned(
          fromByteOffset: MappedPages.headByteCount + 2 * index, as: UInt16.self))
  }

  /// - Precondition: `index` is below `count`; so for all.
  package func key(at index: Int) -> UnsafeRawBufferPointer {
    let node = start(at: index)
    return UnsafeRawBufferPointer(
      start: node + Self.nodeHeadByteCount,
      count: Int(node.loadUnaligned(fromByteOffset: 6, as: UInt16.self)))
  }

  /// The number of the page that a node of a branch leads to.
  package func child(at index: Int) -> UInt64 {
    start(at: index).loadUnaligned(as: UInt64.self) & ((1 << 48) - 1)
  }

  /// The value of a node of a leaf.
  package func value(at index: Int) -> Value {
    let node = start(at: index)
    let byteCount = Int(node.loadUnaligned(as: UInt32.self))
    let place = node + Self.nodeHeadByteCount + key(at: index).count
    switch node.loadUnaligned(fromByteOffset: 4, as: UInt16.self) {
    case Self.isOnOwnPages:
      return .pages(place.loadUnaligned(as: UInt64.self), byteCount: byteCount)
    case Self.isTree: return .tree(UnsafeRawBufferPointer(start: place, count: byteCount))
    default: return .bytes(UnsafeRawBufferPointer(start: place, count: byteCount))
    }
  }
}

/// LMDB's description of a tree (mdb.c: MDB_db).
struct TreeDescription {
  static let byteCount = 48

  let flags: UInt16
  /// Pages from the root to a leaf, both counted; 0 for an empty tree.
  let depth: Int
  let branchCount: UInt64
  let leafCount: UInt64
  /// Pages of long values.
  let valuePageCount: UInt64
  let entryCount: UInt64
  /// `.max` for an empty tree.
  let root: UInt64

  /// - Parameter bytes: `byteCount` of them.
  init(_ bytes: UnsafeRawBufferPointer) {
    flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
    depth = Int(bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    branchCount = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    leafCount = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    valuePageCount = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    entryCount = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    root = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
  }
}
