// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataPrimitives
import StrataRecord

/// Puts rows into the order of sort keys, and keeps no more of them than are wanted.
///
/// Each row is encoded once into bytes that sort as the keys do, so comparing rows is comparing
/// bytes, most often eight at once. With a bound, twice as many rows are gathered, and the later half is
/// turned away; from then on a row that comes after the last is turned away without being stored, most
/// often by one comparison of numbers.
///
/// ## Invariants
/// - I1 With a bound, no row that was turned away is among the wanted ones.
/// - I2 The places of the entries are those of all items.
struct RowSorter {
  /// A row while rows are put in order: small and without references, because it is moved often.
  private struct Entry {
    /// The first eight bytes of the encoded keys, big-endian: they decide most comparisons.
    let head: UInt64
    /// Where its item is.
    var place: Int
  }

  /// What is known of a row.
  private struct Item {
    /// The place of its encoded keys.
    var offset: Int
    let byteCount: Int
    let key: ObjectKey
    /// The row's record; always there if the encoded keys were cut.
    var record: StoredRecord?
    let layout: RecordLayout?
  }

  private let keys: [ResolvedSortKey]
  /// How many rows are wanted at most; nil for all.
  private let bound: Int?
  /// How many rows are gathered before some are turned away.
  private let gatheredMax: Int
  /// The last of those that are wanted so far; nil while there are too few to tell.
  private var last: Entry?
  /// Whether the rows' records are to be part of the result.
  private let keepsRecords: Bool
  private var arena = RecordArena()
  private var entries: [Entry] = []
  private var items: [Item] = []
  private var bytes: [UInt8] = []
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
    gatheredMax = bound.map { $0 > Int.max / 2 ? .max : max(2 * $0, 32) } ?? .max
    scratch = Scratch(byteCount: keys.count * KeyEncoder.scratchByteCount + Self.headByteCount)
  }

  /// Takes a row in. The records of most rows that are turned away are not copied.
  mutating func add(_ row: Row) {
    if bound == 0 { return }
    let (byteCount, isCut) = encode(row)
    let entry = Entry(head: head, place: items.count)
    if let last, entry.head > last.head { return }
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: scratch.start, count: byteCount))
    items.append(
      Item(
        offset: bytes.count - byteCount, byteCount: byteCount, key: row.key,
        record: isCut ? row.owned(in: &arena) : nil, layout: isCut ? row.layout : nil))
    if let last, !precedes(entry, last) {
      items.removeLast()
      return bytes.removeLast(byteCount)
    }
    entries.append(entry)
    if keepsRecords, !isCut { items[entry.place].record = row.owned(in: &arena) }
    if entries.count == gatheredMax { turnAway() }
  }

  /// The rows in order, with their records where they were copied. Ends the sorter's use.
  mutating func sorted() -> [(key: ObjectKey, record: StoredRecord?)] {
    turnAway()
    return entries.map { (items[$0.place].key, items[$0.place].record) }
  }

  /// Puts the rows in order and drops those beyond the bound.
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

  /// Writes the row's keys to `scratch`, up to the first that may be cut: what follows it does not tell
  /// the order.
  private func encode(_ row: Row) -> (byteCount: Int, isCut: Bool) {
    var count = 0
    for index in keys.indices {
      let (byteCount, isCut) = keys[index].write(row, to: scratch.start + count)
      count += byteCount
      if isCut { return (count, true) }
    }
    // A key is written whole and then cut: the bytes behind it are of this row or an earlier one.
    (scratch.start + count).storeBytes(of: 0, as: UInt64.self)
    return (count, false)
  }

  /// The first bytes that were encoded.
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
}
