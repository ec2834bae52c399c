// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport

/// Pages of a file: a page is accepted exactly if a map of its bytes shows that its nodes fill it,
/// and the keys and values of an accepted page are within it.
///
/// The rules are LMDB's (mdb.c: MDB_page, MDB_node), as the head of `MappedPages` shows them.
///
/// An input is a page, filled up with zeros to a size that pages have. It is checked as the page
/// that it says it is.
enum PagesSubject: Subject {
  static let name = "pages"

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var byteCount = 512
    while byteCount < min(bytes.count, 0x8000) { byteCount *= 2 }
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { page.deallocate() }
    page.initializeMemory(as: UInt8.self, repeating: 0)
    page.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(byteCount)))
    let content = UnsafeRawBufferPointer(page)
    for kind in [PageKind.branch, .leaf] {
      let expected = nodes(of: content, kind)
      let checked = try? CheckedPage(
        content.baseAddress!, byteCount, number: content.load(as: UInt64.self), kind: kind)
      try require(
        (checked != nil) == (expected != nil),
        "a page of kind \(kind) was \(checked == nil ? "refused" : "accepted")")
      if let checked, let expected { try compare(checked, expected, in: content) }
    }
  }

  private static func compare(
    _ page: CheckedPage, _ nodes: [Node], in bytes: UnsafeRawBufferPointer
  ) throws(Finding) {
    try require(page.count == nodes.count, "\(page.count) nodes, not \(nodes.count)")
    for (index, node) in nodes.enumerated() {
      let key = page.key(at: index)
      try require(
        key.elementsEqual(bytes[node.key]) && key.isWithin(bytes), "node \(index) has another key")
      if page.kind == .branch {
        let number = bytes[node.start..<(node.start + 6)].reversed()
          .reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        try require(page.child(at: index) == number, "node \(index) leads to another page")
        continue
      }
      switch page.value(at: index) {
      case .bytes(let value), .tree(let value):
        try require(
          value.elementsEqual(bytes[node.value]) && value.isWithin(bytes),
          "node \(index) has another value")
      case .pages(let first, _):
        let number = bytes[node.value].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        try require(first == number, "the value of node \(index) is on another page")
      }
    }
  }

  // MARK: - The rules

  private struct Node {
    let start: Int
    let key: Range<Int>
    let value: Range<Int>
  }

  /// The nodes of a page that follows the rules; nil for others.
  private static func nodes(of page: UnsafeRawBufferPointer, _ kind: PageKind) -> [Node]? {
    func number(_ place: Int) -> Int { Int(page[place]) | Int(page[place + 1]) << 8 }
    let (lower, upper) = (number(12), number(14))
    guard number(10) == (kind == .branch ? 1 : 2), lower % 2 == 0, lower > 16, lower <= upper,
      upper <= page.count
    else { return nil }
    var isUsed = [Bool](repeating: false, count: page.count)
    var nodes: [Node] = []
    for place in stride(from: 16, to: lower, by: 2) {
      let start = number(place)
      guard start % 2 == 0, start >= upper, start + 8 <= page.count else { return nil }
      let keyEnd = start + 8 + number(start + 6)
      var end = keyEnd
      if kind == .leaf {
        let size = number(start) | number(start + 2) << 16
        switch number(start + 4) {
        case 0: end += size
        case 1: end += 8
        case 2 where size == 48: end += 48
        default: return nil
        }
      }
      guard keyEnd - start - 8 <= 511, end + end % 2 <= page.count else { return nil }
      for byte in start..<(end + end % 2) {
        if isUsed[byte] { return nil }
        isUsed[byte] = true
      }
      nodes.append(Node(start: start, key: (start + 8)..<keyEnd, value: keyEnd..<end))
    }
    return isUsed[upper...].allSatisfy { $0 } ? nodes : nil
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    if Int.random(in: 0..<16, using: &random) == 0 {
      return try probe(exactly: [UInt8](countMax: 600, using: &random))
    }
    var page = soundPage(&random)
    let kind = page[10] == 1 ? PageKind.branch : .leaf
    let isSound = page.withUnsafeBytes { nodes(of: $0, kind) != nil }
    try require(isSound, "a page that was made by the rules breaks them")
    for _ in 0..<Int.random(in: 0...3, using: &random) { damage(&page, &random) }
    try probe(exactly: page)
  }

  private static func soundPage(_ random: inout SeededGenerator) -> [UInt8] {
    let byteCount = 512 << Int.random(in: 0...3, using: &random)
    let isLeaf = Bool.random(using: &random)
    let hasEqualNodes = Bool.random(using: &random)
    var page = [UInt8](repeating: 0, count: byteCount)
    func set(_ number: Int, at place: Int) {
      page[place] = UInt8(truncatingIfNeeded: number)
      page[place + 1] = UInt8(truncatingIfNeeded: number >> 8)
    }
    page[0] = UInt8.random(in: 0...255, using: &random)
    set(isLeaf ? 2 : 1, at: 10)
    var (upper, starts) = (byteCount, [Int]())
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let keyByteCount = hasEqualNodes ? 8 : Int.random(in: 0...40, using: &random)
      var byteCount = 8 + keyByteCount
      let flags = isLeaf && !hasEqualNodes ? Int.random(in: 0...2, using: &random) : 0
      let size = flags == 2 ? 48 : hasEqualNodes ? 8 : Int.random(in: 0...60, using: &random)
      if isLeaf { byteCount += flags == 1 ? 8 : size }
      let start = upper - (byteCount + 1) / 2 * 2
      guard start >= 16 + 2 * (starts.count + 1) else { break }
      set(isLeaf ? size : Int.random(in: 0...0xFFFF, using: &random), at: start)
      set(flags, at: start + 4)
      set(keyByteCount, at: start + 6)
      for place in (start + 8)..<upper { page[place] = UInt8.random(in: 0...255, using: &random) }
      upper = start
      starts.append(start)
    }
    starts.shuffle(using: &random)
    for (index, start) in starts.enumerated() { set(start, at: 16 + 2 * index) }
    set(16 + 2 * starts.count, at: 12)
    set(upper, at: 14)
    return page
  }

  /// Changes a number of the page's head, an offset, a number of a node's head, or any bytes.
  private static func damage(_ page: inout [UInt8], _ random: inout SeededGenerator) {
    func number(_ place: Int) -> Int { Int(page[place]) | Int(page[place + 1]) << 8 }
    let count = max(1, min((number(12) - 16) / 2, (page.count - 16) / 2))
    let offset = 16 + 2 * Int.random(in: 0..<count, using: &random)
    let node = number(offset) % (page.count - 8)
    let place: Int
    switch Int.random(in: 0..<4, using: &random) {
    case 0: place = [10, 12, 14].randomElement(using: &random)!
    case 1: place = offset
    case 2: place = node + [0, 2, 4, 6].randomElement(using: &random)!
    default: place = Int.random(in: 0..<(page.count - 1), using: &random)
    }
    let former = number(place)
    let values = [
      0, 1, 2, 48, 0x7FFF, 0xFFFF, former + 2, former - 2, former + 16, former - 16, node,
      Int.random(in: 0...0xFFFF, using: &random),
    ]
    let value = values.randomElement(using: &random)!
    page[place] = UInt8(truncatingIfNeeded: value)
    page[place + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func isWithin(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let outer = bytes.baseAddress else { return isEmpty }
    return start >= outer && start + count <= outer + bytes.count
  }
}
