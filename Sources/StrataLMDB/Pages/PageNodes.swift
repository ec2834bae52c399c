// SPDX-License-Identifier: Apache-2.0

/// The nodes of a branch or leaf of a `RecordTree`, ascending by key (`MappedPages` has their
/// form).
///
/// A key is six bytes, most significant first. The key and its size, which precedes it, are read as
/// one number, the *mark*: so two keys are compared by comparing two numbers, and a key of another
/// size has another mark.
///
/// ## Invariants
/// - I1 `lower` is between the page's head and its end.
struct PageNodes {
  let page: UnsafeRawPointer
  private let lower: Int
  private let pageByteCount: Int

  private static let offsetsStart = MappedPages.headByteCount
  private static let nodeHeadByteCount = 8
  private static let keyByteCount = 6
  /// The flag of a node whose value has pages of its own (mdb.c: F_BIGDATA).
  static let isOnOwnPages: UInt16 = 1

  /// - Precondition: I1.
  @inline(__always)
  init(page: UnsafeRawPointer, lower: Int, pageByteCount: Int) {
    self.page = page
    self.lower = lower
    self.pageByteCount = pageByteCount
  }

  /// All of the page.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: page, count: pageByteCount)
  }

  /// Whether a value is in this page, and not in pages of its own.
  @inline(__always)
  func holds(_ value: UnsafeRawBufferPointer) -> Bool {
    UInt(bitPattern: value.baseAddress) &- UInt(bitPattern: page) < UInt(bitPattern: pageByteCount)
  }

  @inline(__always)
  var count: Int { (lower &- Self.offsetsStart) &>> 1 }

  // MARK: - Marks

  /// The mark of a number of 48 bits.
  @inline(__always)
  static func mark(of number: UInt64) -> UInt64 { emptyMark | number & numberMask }

  /// The mark of the number 0; it is above no other.
  static var emptyMark: UInt64 { UInt64(keyByteCount) << 56 }

  /// The number of a mark.
  @inline(__always)
  static func number(of mark: UInt64) -> UInt64 { mark & numberMask }

  private static var numberMask: UInt64 { (1 << 48) - 1 }

  /// The mark of a node.
  ///
  /// - Throws: `corrupted` if its key is not a number.
  @inline(__always)
  func mark(of node: UnsafeRawPointer) throws(LMDBError) -> UInt64 {
    let mark = node.loadUnaligned(fromByteOffset: 6, as: UInt64.self).byteSwapped
    guard mark ^ Self.emptyMark <= Self.numberMask else { throw .corrupted }
    return mark
  }

  // MARK: - Nodes

  /// The node at `index`, whose head and six bytes of key are in the page.
  ///
  /// - Precondition: `index` is below `count`.
  /// - Throws: `corrupted`.
  @inline(__always)
  func node(at index: Int) throws(LMDBError) -> UnsafeRawPointer {
    let offset = Int(offset(at: index))
    guard offset >= lower,
      offset <= pageByteCount &- (Self.nodeHeadByteCount + Self.keyByteCount)
    else { throw .corrupted }
    return page + offset
  }

  @inline(__always)
  private func offset(at index: Int) -> UInt16 {
    page.load(fromByteOffset: Self.offsetsStart &+ 2 &* index, as: UInt16.self)
  }

  /// The most likely position on a leaf of the offset of the node that `guess` will name.
  ///
  /// - Parameter first: a mark that is not above `mark`.
  @inline(__always)
  static func placeOfOffset(
    guessedFor mark: UInt64, first: UInt64, on page: UnsafeRawPointer
  ) -> UnsafeRawPointer {
    // No page has more nodes than this, and the last of many gaps is not likely.
    page + offsetsStart + 2 &* Int(truncatingIfNeeded: min(mark &- first, 64))
  }

  /// The expected address of the node at `index`: somewhere near the page, if that is damaged.
  ///
  /// - Precondition: `index` is below `count`.
  @inline(__always)
  func expectedPlace(at index: Int) -> UnsafeRawPointer { page + Int(offset(at: index)) }

  // MARK: - In a leaf

  /// The value of a node.
  ///
  /// - Parameter node: a node whose mark was taken.
  /// - Throws: `corrupted`, `pageNotFound`.
  @inline(__always)
  func value(
    of node: UnsafeRawPointer, in pages: MappedPages
  ) throws(LMDBError) -> UnsafeRawBufferPointer {
    let head = node.loadUnaligned(as: UInt64.self)
    let byteCount = Int(truncatingIfNeeded: head & 0xFFFF_FFFF)
    let flags = UInt16(truncatingIfNeeded: head &>> 32)
    let value = node + (Self.nodeHeadByteCount + Self.keyByteCount)
    let room = pageByteCount &- (value - page)
    if flags == 0, byteCount <= room {
      return UnsafeRawBufferPointer(start: value, count: byteCount)
    }
    guard flags == Self.isOnOwnPages, room >= MemoryLayout<UInt64>.size else {
      throw .corrupted
    }
    return try pages.value(
      byteCount: byteCount, onPage: value.loadUnaligned(as: UInt64.self))
  }

  /// The most likely index of a number. No key is there twice, so it is behind `first` by no
  /// more nodes than the two numbers differ by; and objects are made in rows.
  ///
  /// - Parameter first: a mark that is not above the first one.
  @inline(__always)
  func guess(of mark: UInt64, first: UInt64) -> Int {
    Int(truncatingIfNeeded: min(mark &- first, UInt64(truncatingIfNeeded: count &- 1)))
  }

  /// The node with `mark`, or nil.
  ///
  /// - Parameter first: a mark that is neither above the first one nor above `mark`.
  /// - Throws: `corrupted`.
  /// - Complexity: O(1) among numbers without gaps, else O(log n).
  @inline(__always)
  func node(
    withMark mark: UInt64, first: UInt64
  ) throws(LMDBError) -> UnsafeRawPointer? {
    let index = guess(of: mark, first: first)
    let node = try node(at: index)
    let found = try self.mark(of: node)
    if found == mark { return node }
    return try self.node(withMark: mark, besides: index, found)
  }

  /// The node with `mark`, if the node at `index` has another; else nil.
  @inline(never)
  private func node(
    withMark mark: UInt64, besides index: Int, _ found: UInt64
  ) throws(LMDBError) -> UnsafeRawPointer? {
    var (low, high) = (0, count &- 1)
    var (index, found) = (index, found)
    var isFirst = true
    while true {
      // The difference of the numbers is the maximum number of nodes in between.
      if found > mark {
        high = index &- 1
        low = max(low, index &- Int(truncatingIfNeeded: found &- mark))
      } else {
        low = index &+ 1
        high = min(high, index &+ Int(truncatingIfNeeded: mark &- found))
      }
      if low > high { return nil }
      // Where there are no gaps, one more guess tells.
      index = isFirst ? (found > mark ? low : high) : (low &+ high) &>> 1
      isFirst = false
      let node = try node(at: index)
      found = try self.mark(of: node)
      if found == mark { return node }
    }
  }

  // MARK: - In a branch

  /// The number of the page that the node at `index` leads to.
  ///
  /// - Throws: `corrupted`.
  @inline(__always)
  func child(at index: Int) throws(LMDBError) -> UInt64 {
    let offset = Int(offset(at: index))
    // The first node's key may be empty, for it is below all.
    guard offset >= lower, offset <= pageByteCount &- Self.nodeHeadByteCount else {
      throw .corrupted
    }
    return (page + offset).loadUnaligned(as: UInt64.self) & Self.numberMask
  }

  /// The index of the node that leads to `mark`, and its own mark, which no mark that it leads to
  /// is below: `first`, if it is the first one.
  ///
  /// - Throws: `corrupted`.
  @inline(__always)
  func indexOfChild(
    for mark: UInt64, first: UInt64
  ) throws(LMDBError) -> (index: Int, first: UInt64) {
    var (low, length) = (0, count)
    var first = first
    var isSound = true
    // Each step is the same whatever it finds, damage too: half of all branches would be guessed
    // wrongly, and then the processor could not go on to the next look-up in the meantime.
    while length > 1 {
      let half = length &>> 1
      let offset = Int(offset(at: low &+ half))
      let isWithin =
        (offset >= lower)
        .and(offset <= pageByteCount &- (Self.nodeHeadByteCount + Self.keyByteCount))
      let node = page + (isWithin ? offset : Self.offsetsStart)
      let found = node.loadUnaligned(fromByteOffset: 6, as: UInt64.self).byteSwapped
      isSound = isSound.and(isWithin).and(found ^ Self.emptyMark <= Self.numberMask)
      let isBelow = found <= mark
      low = isBelow ? low &+ half : low
      first = isBelow ? found : first
      length &-= half
    }
    guard isSound else { throw .corrupted }
    return (low, first)
  }
}

extension Bool {
  /// Logical and without a branch: evaluates both operands.
  @inline(__always)
  fileprivate func and(_ other: Bool) -> Bool {
    UInt8(truncatingIfNeeded: self ? 1 : 0) & UInt8(truncatingIfNeeded: other ? 1 : 0) != 0
  }
}
