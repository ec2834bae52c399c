// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataPrimitives
import StrataRecord

/// Sorts rows by sort keys, and keeps only as many rows as are needed.
///
/// Each row is encoded once into bytes that sort as its values do. Rows are compared by comparing
/// bytes, usually eight at once. With a bound, twice as many rows are collected, and the second
/// half is rejected. From then on, a row that comes after the last one is rejected before it is
/// stored, usually by one comparison of integers.
///
/// ## Invariants
/// - I1 With a bound, no rejected row is among the wanted ones.
/// - I2 The places of the entries are the indices of all items.
struct RowSorter {
  /// A row during sorting: small and without references, because sorting moves it often.
  private struct Entry {
    /// The first eight bytes of the encoded keys, big-endian. They decide most comparisons.
    let head: UInt64
    /// The index of the row's item.
    var place: Int
  }

  /// The data of a row.
  private struct Item {
    /// The offset of the row's encoded keys.
    var offset: Int
    let byteCount: Int
    let key: ObjectKey
    /// The row's record. It is always present if the encoded keys were cut.
    var record: StoredRecord?
    let layout: RecordLayout?
  }

  private let keys: [ResolvedSortKey]
  /// Whether all keys are slots of the rows. Otherwise all keys are encoded from values.
  private let areSlots: Bool
  /// The maximum number of rows; nil for all.
  private let bound: Int?
  /// The number of collected rows at which some are rejected.
  private let gatheredMax: Int
  /// The last of the wanted rows so far; nil while there are too few rows.
  private var last: Entry?
  /// Whether the result includes the rows' records.
  private let keepsRecords: Bool
  private var arena = RecordArena()
  private var entries: [Entry] = []
  private var items: [Item] = []
  private var bytes: [UInt8] = []
  private let scratch: Scratch

  /// The buffer into which a row is encoded. Eight zero bytes follow the keys, so that a head can
  /// be read.
  ///
  /// Separate memory, because an array would check for each row whether it is uniquely referenced.
  private final class Scratch {
    private(set) var start: UnsafeMutableRawPointer
    private var byteCount: Int
    /// The keys that are encoded from values.
    var values: [UInt8] = []

    init(byteCount: Int) {
      self.byteCount = byteCount
      start = .allocate(byteCount: byteCount, alignment: 8)
    }

    /// Makes room for a row's keys.
    func reserve(_ count: Int) {
      if count <= byteCount { return }
      start.deallocate()
      byteCount = 2 * count
      start = .allocate(byteCount: byteCount, alignment: 8)
    }

    deinit { start.deallocate() }
  }

  private static let headByteCount = 8

  /// - Parameter bound: 0 or more.
  init(by keys: [ResolvedSortKey], bound: Int?, keepsRecords: Bool) {
    self.keys = keys
    areSlots = keys.allSatisfy { $0.slot != nil }
    self.bound = bound
    self.keepsRecords = keepsRecords
    gatheredMax = bound.map { $0 > Int.max / 2 ? .max : max(2 * $0, 32) } ?? .max
    scratch = Scratch(byteCount: keys.count * KeyEncoder.scratchByteCount + Self.headByteCount)
  }

  /// Adds a row. The records of most rejected rows are not copied.
  ///
  /// - Throws: errors of the store, if keys are properties of related objects.
  mutating func add(_ row: Row, _ reader: RowReader) throws {
    if bound == 0 { return }
    let (byteCount, isCut) = areSlots ? encode(row) : (try encodeValues(row, reader), false)
    let entry = Entry(head: head, place: items.count)
    if let last, entry.head > last.head { return }
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: scratch.start, count: byteCount))
    items.append(
      Item(
        offset: bytes.count - byteCount, byteCount: byteCount, key: row.key,
        record: isCut ? row.owned(in: &arena) : nil, layout: isCut ? row.layout : nil))
    if let last, !precedes(entry, last) {
      items.removeLast()
      bytes.removeLast(byteCount)
      return
    }
    entries.append(entry)
    if keepsRecords, !isCut { items[entry.place].record = row.owned(in: &arena) }
    if entries.count == gatheredMax { turnAway() }
  }

  /// Returns the rows in order, with their records if they were copied. The sorter cannot be used
  /// afterwards.
  mutating func sorted() -> [(key: ObjectKey, record: StoredRecord?)] {
    turnAway()
    return entries.map { (items[$0.place].key, items[$0.place].record) }
  }

  /// Sorts the rows and removes those beyond the bound.
  private mutating func turnAway() {
    entries.sort(by: precedes)
    guard let bound, entries.count > bound else { return }
    entries.removeLast(entries.count - bound)
    var (kept, live): ([Item], [UInt8]) = ([], [])
    for index in entries.indices {
      var item = items[entries[index].place]
      live.append(contentsOf: bytes[item.offset..<(item.offset + item.byteCount)])
      item.offset = live.count - item.byteCount
      entries[index].place = index
      kept.append(item)
    }
    (items, bytes) = (kept, live)
    last = entries.last
  }

  // MARK: - Encoding

  /// Writes the row's keys to `scratch`, up to the first that may be cut. The keys after a cut one
  /// do not decide the order.
  private func encode(_ row: Row) -> (byteCount: Int, isCut: Bool) {
    var count = 0
    for index in keys.indices {
      let (byteCount, isCut) = keys[index].write(row, to: scratch.start + count)
      count += byteCount
      if isCut { return (count, true) }
    }
    // A key is written whole and then cut: the bytes after it belong to this row or to an earlier
    // one.
    (scratch.start + count).storeBytes(of: 0, as: UInt64.self)
    return (count, false)
  }

  /// Writes the row's keys to `scratch`, each from its value.
  private func encodeValues(_ row: Row, _ reader: RowReader) throws -> Int {
    scratch.values.removeAll(keepingCapacity: true)
    for key in keys { try key.append(row, reader, to: &scratch.values) }
    let count = scratch.values.count
    scratch.reserve(count + Self.headByteCount)
    scratch.values.withUnsafeBytes {
      if let start = $0.baseAddress { scratch.start.copyMemory(from: start, byteCount: count) }
    }
    (scratch.start + count).storeBytes(of: 0, as: UInt64.self)
    return count
  }

  /// The first eight encoded bytes.
  private var head: UInt64 { UInt64(bigEndian: scratch.start.loadUnaligned(as: UInt64.self)) }

  // MARK: - Comparing

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.head != right.head { return left.head < right.head }
    let (left, right) = (items[left.place], items[right.place])
    let order = bytes.withUnsafeBytes { bytes -> Int in
      let left = UnsafeRawBufferPointer(rebasing: bytes[left.offset..<left.offset + left.byteCount])
      return left.order(
        to: UnsafeRawBufferPointer(rebasing: bytes[right.offset..<right.offset + right.byteCount]))
    }
    if order != 0 { return order < 0 }
    let exact = left.layout == nil ? 0 : orderOfCut(left, right)
    return exact == 0 ? left.key < right.key : exact < 0
  }

  /// Returns the order of two rows by their values, for rows with encoded keys that are equal and
  /// cut.
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
}
