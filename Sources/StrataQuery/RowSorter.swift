// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Puts rows into the order of sort keys, and keeps no more of them than are wanted.
///
/// Each row is encoded once into bytes whose order is that of the keys, so comparing is comparing
/// bytes, most often eight at once. With a limit the rows stand in a heap, the last one on top: a row
/// that comes after it is turned away without being stored.
///
/// ## Invariants
/// - I1 With a bound, `items` is a heap of at most that many rows, and no row that was turned away
///   comes before any in it.
struct RowSorter {
  /// A row by the place of its encoded keys.
  private struct Item {
    /// The first eight bytes, big-endian: they decide most comparisons.
    let head: UInt64
    let offset: Int
    let byteCount: Int
    let key: ObjectKey
    /// The row's record; always there if the encoded keys were cut.
    let record: StoredRecord?
    let layout: RecordLayout?
  }

  private let keys: [ResolvedSortKey]
  /// At most so many rows are wanted; nil for all.
  private let bound: Int?
  private var items: [Item] = []
  private var bytes: [UInt8] = []
  private var liveByteCount = 0

  /// - Parameter bound: 0 or more.
  init(by keys: [ResolvedSortKey], bound: Int?) {
    self.keys = keys
    self.bound = bound
  }

  /// Takes a row in.
  ///
  /// - Parameters:
  ///   - record: the row's record, if it is to be part of the result.
  ///   - copy: makes the row's record if it has to be kept for the order's sake.
  mutating func add(_ row: Row, record: StoredRecord?, copy: () -> StoredRecord) {
    if bound == 0 { return }
    let offset = bytes.count
    let isCut = encode(row)
    let item = Item(
      head: head(from: offset), offset: offset, byteCount: bytes.count - offset, key: row.key,
      record: record ?? (isCut ? copy() : nil), layout: isCut ? row.layout : nil)
    guard let bound, items.count >= bound else {
      items.append(item)
      liveByteCount += item.byteCount
      if bound != nil { siftUp(items.count - 1) }
      return
    }
    guard precedes(item, items[0]) else { return bytes.removeLast(item.byteCount) }
    liveByteCount += item.byteCount - items[0].byteCount
    items[0] = item
    siftDown(0)
    if bytes.count > 4_096, bytes.count > 2 * liveByteCount { compact() }
  }

  /// The rows in order. Ends the sorter's use.
  mutating func sorted() -> [FetchedRow] {
    items.sort(by: precedes)
    return items.map { FetchedRow(key: $0.key, record: $0.record) }
  }

  // MARK: - Encoding

  /// Appends the row's keys up to the first that may be cut: what follows it does not tell the order.
  private mutating func encode(_ row: Row) -> Bool {
    for key in keys where key.append(row, to: &bytes) { return true }
    return false
  }

  private func head(from offset: Int) -> UInt64 {
    var head: UInt64 = 0
    for index in offset..<(offset + 8) {
      head = head << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
    return head
  }

  /// Drops the bytes of rows that were turned away later.
  private mutating func compact() {
    var live: [UInt8] = []
    live.reserveCapacity(liveByteCount)
    items = items.map { item in
      let offset = live.count
      live.append(contentsOf: bytes[item.offset..<(item.offset + item.byteCount)])
      return Item(
        head: item.head, offset: offset, byteCount: item.byteCount, key: item.key,
        record: item.record, layout: item.layout)
    }
    bytes = live
  }

  // MARK: - Comparing

  private func precedes(_ left: Item, _ right: Item) -> Bool {
    if left.head != right.head { return left.head < right.head }
    let order = bytes.withUnsafeBytes { bytes in
      let one = bytes[left.offset..<(left.offset + left.byteCount)]
      let two = bytes[right.offset..<(right.offset + right.byteCount)]
      return one.elementsEqual(two) ? 0 : one.lexicographicallyPrecedes(two) ? -1 : 1
    }
    if order != 0 { return order < 0 }
    let exact = left.layout == nil ? 0 : orderOfCut(left, right)
    return exact == 0 ? left.key < right.key : exact < 0
  }

  /// The order of two rows by their values, where their encoded keys are equal but cut.
  private func orderOfCut(_ left: Item, _ right: Item) -> Int {
    guard let one = left.record?.record, let two = right.record?.record,
      let oneLayout = left.layout, let twoLayout = right.layout
    else { return 0 }
    return one.withUnsafeBytes { oneBytes in
      two.withUnsafeBytes { twoBytes in
        guard let first = oneBytes.baseAddress, let second = twoBytes.baseAddress else { return 0 }
        let one = Row(key: left.key, start: first, layout: oneLayout)
        let two = Row(key: right.key, start: second, layout: twoLayout)
        for key in keys {
          let order = key.exactOrder(one, two)
          if order != 0 { return order }
        }
        return 0
      }
    }
  }

  // MARK: - Heap

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard precedes(items[parent], items[index]) else { return }
      items.swapAt(parent, index)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && precedes(items[last], items[child]) {
        last = child
      }
      if last == index { return }
      items.swapAt(index, last)
      index = last
    }
  }
}
