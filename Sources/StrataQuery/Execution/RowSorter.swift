// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataPrimitives
import StrataRecord

/// Puts rows into the order of sort keys, and keeps no more of them than are wanted.
///
/// Each row is encoded once into bytes whose order is that of the keys, so comparing is comparing
/// bytes, most often eight at once. With a limit the rows stand in a heap, the last one on top: a row
/// that comes after it is turned away without being stored, most often by one comparison of numbers.
///
/// ## Invariants
/// - I1 With a bound, `entries` is a heap of at most that many rows, and no row that was turned away
///   comes before any in it.
/// - I2 The places of the entries are those of all items.
struct RowSorter {
  /// A row while rows are put in order: small and without references, because it is moved often.
  private struct Entry {
    /// The first eight bytes of the encoded keys, big-endian: they decide most comparisons.
    let head: UInt64
    /// Where its item is.
    let place: Int
  }

  /// What is known of a row.
  private struct Item {
    /// The place of its encoded keys.
    var offset: Int
    let byteCount: Int
    let key: ObjectKey
    /// The row's record; always there if the encoded keys were cut.
    let record: StoredRecord?
    let layout: RecordLayout?
  }

  private let keys: [ResolvedSortKey]
  /// At most so many rows are wanted; nil for all.
  private let bound: Int?
  /// Whether the rows' records are to be part of the result.
  private let keepsRecords: Bool
  private var arena = RecordArena()
  private var entries: [Entry] = []
  private var items: [Item] = []
  private var bytes: [UInt8] = []
  private var liveByteCount = 0
  private let scratch: Scratch

  /// What a row is encoded in. Eight zero bytes follow the keys, so that a head can be read.
  ///
  /// Memory of its own, because an array would be asked for each row whether it is shared.
  private final class Scratch {
    let start: UnsafeMutableRawPointer

    init(byteCount: Int) {
      start = .allocate(byteCount: byteCount, alignment: 8)
    }

    deinit { start.deallocate() }
  }

  private static let headByteCount = 8

  /// - Parameter bound: 0 or more.
  init(by keys: [ResolvedSortKey], bound: Int?, keepsRecords: Bool) {
    self.keys = keys
    self.bound = bound
    self.keepsRecords = keepsRecords
    scratch = Scratch(byteCount: keys.count * KeyEncoder.partCapacity + Self.headByteCount)
  }

  /// Takes a row in. The records of most rows that are turned away are not copied.
  mutating func add(_ row: Row) {
    if bound == 0 { return }
    let (byteCount, isCut) = encode(row)
    let head = self.head
    let isFull = bound.map { entries.count >= $0 } ?? false
    if isFull, head > entries[0].head { return }
    let item = Item(
      offset: bytes.count, byteCount: byteCount, key: row.key,
      record: isCut ? row.owned(in: &arena) : nil, layout: isCut ? row.layout : nil)
    if isFull {
      // Tentatively: whether it comes before the last is told by the bytes.
      append(byteCount)
      guard precedes(head, item, entries[0].head, items[entries[0].place]) else {
        return bytes.removeLast(byteCount)
      }
      let place = entries[0].place
      liveByteCount += byteCount - items[place].byteCount
      items[place] = kept(item, row)
      entries[0] = Entry(head: head, place: place)
      siftDown(0)
      if bytes.count > 4_096, bytes.count > 2 * liveByteCount { compact() }
    } else {
      append(byteCount)
      liveByteCount += byteCount
      entries.append(Entry(head: head, place: items.count))
      items.append(kept(item, row))
      if bound != nil { siftUp(entries.count - 1) }
    }
  }

  /// The item with its record, if that is to be part of the result.
  private mutating func kept(_ item: Item, _ row: Row) -> Item {
    guard keepsRecords, item.record == nil else { return item }
    return Item(
      offset: item.offset, byteCount: item.byteCount, key: item.key,
      record: row.owned(in: &arena), layout: item.layout)
  }

  /// The rows in order, with their records where they were copied. Ends the sorter's use.
  mutating func sorted() -> [(key: ObjectKey, record: StoredRecord?)] {
    entries.sort(by: precedes)
    return entries.map { (items[$0.place].key, items[$0.place].record) }
  }

  // MARK: - Encoding

  /// Writes the row's keys to `scratch`, up to the first that may be cut: what follows it does not tell
  /// the order.
  private func encode(_ row: Row) -> (byteCount: Int, isCut: Bool) {
    var count = 0
    for index in keys.indices {
      let (byteCount, isCut) = keys[index].write(row, to: scratch.start + count)
      count += byteCount
      if isCut { return (count, true) }
    }
    // A key is written whole and then cut: what lies behind it is of this row or an earlier one.
    (scratch.start + count).storeBytes(of: 0, as: UInt64.self)
    return (count, false)
  }

  /// The first bytes that were encoded.
  private var head: UInt64 { UInt64(bigEndian: scratch.start.loadUnaligned(as: UInt64.self)) }

  /// Keeps the bytes that were encoded.
  private mutating func append(_ byteCount: Int) {
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: scratch.start, count: byteCount))
  }

  /// Drops the bytes of rows that were turned away later.
  private mutating func compact() {
    var live: [UInt8] = []
    live.reserveCapacity(liveByteCount)
    for index in items.indices {
      let item = items[index]
      items[index].offset = live.count
      live.append(contentsOf: bytes[item.offset..<(item.offset + item.byteCount)])
    }
    bytes = live
  }

  // MARK: - Comparing

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.head != right.head { return left.head < right.head }
    return precedes(left.head, items[left.place], right.head, items[right.place])
  }

  private func precedes(
    _ leftHead: UInt64, _ left: Item, _ rightHead: UInt64, _ right: Item
  ) -> Bool {
    if leftHead != rightHead { return leftHead < rightHead }
    let order = bytes.withUnsafeBytes { bytes -> Int in
      let left = UnsafeRawBufferPointer(rebasing: bytes[left.offset..<left.offset + left.byteCount])
      return left.order(
        to: UnsafeRawBufferPointer(rebasing: bytes[right.offset..<right.offset + right.byteCount]))
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
    return one.withRow(of: left.key, oneLayout) { one in
      two.withRow(of: right.key, twoLayout) { two in
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
      guard precedes(entries[parent], entries[index]) else { return }
      entries.swapAt(parent, index)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var last = index
      for child in (2 * index + 1)...(2 * index + 2)
      where child < entries.count && precedes(entries[last], entries[child]) {
        last = child
      }
      if last == index { return }
      entries.swapAt(index, last)
      index = last
    }
  }
}
