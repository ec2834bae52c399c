// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The nodes of a branch or leaf of a tree whose keys are of any size, ascending by key
/// (`MappedPages` has their form).
///
/// `PageNodes` reads keys of one size, faster.
///
/// ## Invariants
/// - I1 The offsets of all nodes are in the page: `count` is above 0 and follows from the page's
///   checked head.
///
/// ## Lifetime
/// As `MappedPages`.
@usableFromInline
struct EntryNodes {
  @usableFromInline let page: UnsafeRawPointer
  @usableFromInline let count: Int
  @usableFromInline let pageByteCount: Int

  @usableFromInline static var offsetsStart: Int { 16 }
  @usableFromInline static var nodeHeadByteCount: Int { 8 }

  fileprivate init(_ nodes: PageNodes) {
    page = nodes.page
    count = nodes.count
    pageByteCount = nodes.bytes.count
  }

  /// The head of the node at `index`: size of the value, flags, size of the key in a leaf; number
  /// of the page and size of the key in a branch. The key begins behind it.
  ///
  /// - Precondition: `index` is below `count`.
  /// - Throws: `corrupted` if the head is not in the page.
  @inlinable @inline(__always)
  func head(at index: Int) throws(LMDBError) -> (offset: Int, word: UInt64) {
    let offset = Int(
      page.load(fromByteOffset: Self.offsetsStart &+ 2 &* index, as: UInt16.self))
    guard offset >= Self.offsetsStart &+ 2 &* count,
      offset <= pageByteCount &- Self.nodeHeadByteCount
    else { throw .corrupted }
    return (offset, (page + offset).loadUnaligned(as: UInt64.self))
  }

  /// Key and value of the node at `index` of a leaf; nil if the value is on separate pages.
  ///
  /// - Throws: `corrupted` if they are not in the page.
  @inlinable @inline(__always)
  func entry(
    at index: Int
  ) throws(LMDBError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    let (offset, word) = try head(at: index)
    let valueByteCount = Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
    let keyByteCount = Int(truncatingIfNeeded: word &>> 48)
    let start = offset &+ Self.nodeHeadByteCount
    if word &>> 32 & 0xFFFF != 0 { return nil }
    guard start &+ keyByteCount &+ valueByteCount <= pageByteCount else { throw .corrupted }
    let key = page + start
    return (
      UnsafeRawBufferPointer(start: key, count: keyByteCount),
      UnsafeRawBufferPointer(start: key + keyByteCount, count: valueByteCount)
    )
  }

  /// Key and value of a node of a leaf whose value is on separate pages.
  ///
  /// - Throws: `corrupted` if the key is not in the page, or the value not in such pages;
  ///   `pageNotFound`.
  func longEntry(
    at index: Int, in pages: MappedPages
  ) throws(LMDBError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let (offset, word) = try head(at: index)
    let key = try key(at: index)
    let end = offset &+ Self.nodeHeadByteCount &+ key.count
    guard UInt16(truncatingIfNeeded: word &>> 32) == PageNodes.isOnOwnPages,
      end <= pageByteCount &- 8
    else { throw .corrupted }
    let number = (page + end).loadUnaligned(as: UInt64.self)
    let byteCount = Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
    return (key, try pages.value(byteCount: byteCount, onPage: number))
  }

  /// The key of the node at `index`.
  ///
  /// - Throws: `corrupted` if it is not in the page.
  func key(at index: Int) throws(LMDBError) -> UnsafeRawBufferPointer {
    let (offset, word) = try head(at: index)
    let start = offset &+ Self.nodeHeadByteCount
    let byteCount = Int(truncatingIfNeeded: word &>> 48)
    guard start &+ byteCount <= pageByteCount else { throw .corrupted }
    return UnsafeRawBufferPointer(start: page + start, count: byteCount)
  }

  /// The index of the first node with a key that is not below `bound`; `count` if there is none.
  ///
  /// - Parameter first: an index; the nodes before it are below `bound`, whatever their keys.
  /// - Throws: `corrupted`.
  func index(
    ofFirstNotBelow bound: UnsafeRawBufferPointer, from first: Int = 0
  ) throws(LMDBError) -> Int {
    var (low, high) = (first, count)
    while low < high {
      let middle = (low &+ high) &>> 1
      if try key(at: middle).isBelow(bound) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// The number of the page that the node at `index` of a branch leads to.
  ///
  /// - Throws: `corrupted`.
  func child(at index: Int) throws(LMDBError) -> UInt64 {
    try head(at: index).word & ((1 << 48) - 1)
  }

  /// The index of the node of a branch that leads to `key`: the last one that is not above it. The
  /// first node's key may be empty, for it is below all.
  ///
  /// - Throws: `corrupted`.
  func indexOfChild(for key: UnsafeRawBufferPointer) throws(LMDBError) -> Int {
    let index = try index(ofFirstNotBelow: key, from: 1)
    if index < count, try self.key(at: index).isEqual(to: key) { return index }
    return index &- 1
  }
}

extension MappedPages {
  /// The nodes of a branch or leaf, with keys of any size.
  ///
  /// - Throws: `pageNotFound`; `corrupted` if it is none, or not whole.
  func entryNodes(ofPage number: UInt64, _ kind: PageKind) throws(LMDBError) -> EntryNodes {
    EntryNodes(try nodes(ofPage: number, kind))
  }
}
