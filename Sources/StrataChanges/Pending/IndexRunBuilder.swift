// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
package import StrataRecord

/// Makes an index run: encodes the entries and sorts them.
///
/// Sorting compares 8 bytes at a time, from the first byte in which any two entries differ; entries
/// that agree in these are compared by the bytes that follow. Objects are best appended in the
/// order of their keys: then objects with one value are in order, and only the values are sorted.
/// No value is a prefix of another (`KeyEncoder`, I1), so two values differ before the shorter one
/// ends, and zeros may fill the bytes behind it.
///
/// An index of words gets several entries of each record (`TextWords`), all others get one. Every
/// entry of every index is made here: for pending changes, saves, batches and new indexes.
///
/// Entries that are too many for one block of bytes are sorted block by block, and then merged.
///
/// It holds the index and the layout, because passing them with each entry would count references.
package struct IndexRunBuilder {
  private var index: IndexSchema
  private var layout: RecordLayout
  private var entries: [IndexRun.Entry] = []
  private var block: EntryBlock
  private let blockByteCountMax: Int
  /// The sorted entries of the full blocks.
  private var parts: [IndexRun] = []
  /// Whether the objects have come in the order of their keys so far, and the last.
  private var areObjectsAscending = true
  private var lastObject = ObjectKey(rawValue: 0)
  /// The words of the last text; nil before the first one.
  private var words: TextWords?

  /// - Parameters:
  ///   - index: the index of the entity whose records come first.
  ///   - layout: the layout of the records.
  ///   - count: the approximate number of entries.
  ///   - blockByteCountMax: the number of bytes above which entries go into another block.
  package init(
    _ index: IndexSchema, _ layout: RecordLayout, expecting count: Int,
    blockByteCountMax: Int = Self.blockByteCountMax
  ) {
    self.index = index
    self.blockByteCountMax = blockByteCountMax
    self.layout = layout
    entries.reserveCapacity(count)
    block = EntryBlock(capacity: count * Self.byteCountEstimate + KeyEncoder.scratchByteCount)
  }

  /// The last position in a block at which an entry can begin.
  package static var blockByteCountMax: Int { Int(UInt32.max) }

  /// The size of an entry of a number or of a short text.
  private static let byteCountEstimate = 24

  /// The number of the index.
  package var number: PropertyNumber { index.number }

  /// Goes on to the records of another entity that has the index.
  package mutating func goOn(to index: IndexSchema, _ layout: RecordLayout) {
    (self.index, self.layout) = (index, layout)
  }

  /// How many entries were added.
  package var entryCount: Int { parts.reduce(entries.count) { $0 + $1.entries.count } }

  /// Adds the entries of an object whose record begins at `record`.
  package mutating func append(_ object: ObjectKey, _ record: UnsafeRawPointer) {
    if index.isOfWords { return appendWords(of: object, record) }
    if block.byteCount > blockByteCountMax { beginBlock() }
    let start = block.reserve(KeyEncoder.scratchByteCount + KeyEncoder.objectKeyByteCount)
    let valueByteCount = index.write(valueOf: record, layout, to: start)
    start.storeBytes(
      of: object.rawValue.bigEndian, toByteOffset: valueByteCount, as: UInt64.self)
    append(entryOf: object, at: start, valueByteCount)
  }

  // Not inlined: most indexes are of values.
  @inline(never)
  private mutating func appendWords(of object: ObjectKey, _ record: UnsafeRawPointer) {
    guard let text = layout.slot(index.slot, at: record).bytes(.string) else { return }
    var words = self.words.take() ?? TextWords()
    words.read(text)
    words.forEachValue { value in
      if block.byteCount > blockByteCountMax { beginBlock() }
      let start = block.reserve(value.count + KeyEncoder.objectKeyByteCount)
      start.copyMemory(from: value.baseAddress!, byteCount: value.count)
      start.storeBytes(of: object.rawValue.bigEndian, toByteOffset: value.count, as: UInt64.self)
      append(entryOf: object, at: start, value.count)
    }
    self.words = words
  }

  /// Sorts the entries of the block, and goes on with an empty one.
  @inline(never)
  private mutating func beginBlock() {
    parts.append(sortedRun())
    entries = []
    block = EntryBlock(capacity: KeyEncoder.scratchByteCount)
    areObjectsAscending = true
    lastObject = ObjectKey(rawValue: 0)
  }

  /// Adds the entry whose bytes are in the block, behind those in use.
  @inline(__always)
  private mutating func append(
    entryOf object: ObjectKey, at start: UnsafeMutableRawPointer, _ valueByteCount: Int
  ) {
    let byteCount = valueByteCount + KeyEncoder.objectKeyByteCount
    if object < lastObject { areObjectsAscending = false }
    lastObject = object
    entries.append(
      IndexRun.Entry(
        head: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)), object: object,
        offset: UInt32(block.byteCount), byteCount: UInt16(byteCount), block: 0))
    block.byteCount += byteCount
  }

  /// The run of the appended entries.
  package func finished() -> IndexRun {
    if parts.isEmpty { return sortedRun() }
    var merge = RunMerge(joining: parts + [sortedRun()])
    var budget = Int.max
    merge.advance(&budget)
    return merge.finished
  }

  /// The run of the block's entries.
  private func sortedRun() -> IndexRun {
    guard entries.count > 1 else { return run(of: entries) }
    var items: [RadixSort.Item] = []
    items.reserveCapacity(entries.count)
    for place in entries.indices {
      items.append(RadixSort.Item(bits: bits(of: entries[place], at: 0), place: UInt32(place)))
    }
    let isSorted = items.withUnsafeMutableBufferPointer { items in
      if isAscending(items, from: 0) { return true }
      withUnsafeTemporaryAllocation(of: RadixSort.Item.self, capacity: items.count) { scratch in
        order(items, scratch, by: sharedByteCount(items))
      }
      return false
    }
    if isSorted { return run(of: entries) }
    return run(of: items.map { entries[Int($0.place)] })
  }

  private func run(of entries: [IndexRun.Entry]) -> IndexRun {
    IndexRun(entries, [block], byteCount: block.byteCount)
  }

  // MARK: - Sorting

  /// How many of the first 8 bytes that count all entries share.
  private func sharedByteCount(_ items: UnsafeMutableBufferPointer<RadixSort.Item>) -> Int {
    var varying: UInt64 = 0
    for item in items { varying |= item.bits ^ items[0].bits }
    return varying.leadingZeroBitCount / 8
  }

  /// Sorts entries that agree in the bytes before `position`.
  private func order(
    _ items: UnsafeMutableBufferPointer<RadixSort.Item>,
    _ scratch: UnsafeMutableBufferPointer<RadixSort.Item>, by position: Int
  ) {
    if position > 0 {
      for index in items.indices {
        items[index].bits = bits(of: entries[Int(items[index].place)], at: position)
      }
    }
    RadixSort.sort(items, scratch)
    var start = 0
    while start < items.count {
      let bits = items[start].bits
      var end = start + 1
      while end < items.count, items[end].bits == bits { end += 1 }
      if end - start > 1 {
        orderEqual(
          UnsafeMutableBufferPointer(rebasing: items[start..<end]),
          UnsafeMutableBufferPointer(rebasing: scratch[start..<end]), by: position + 8)
      }
      start = end
    }
  }

  private func orderEqual(
    _ items: UnsafeMutableBufferPointer<RadixSort.Item>,
    _ scratch: UnsafeMutableBufferPointer<RadixSort.Item>, by position: Int
  ) {
    // Entries of one value came in the order of their keys. If one value ends here, all end here.
    if areObjectsAscending, byteCountToSort(entries[Int(items[0].place)]) <= position { return }
    if isAscending(items, from: position) { return }
    if items.count > Self.insertedItemCountMax { return order(items, scratch, by: position) }
    for index in 1..<items.count {
      let item = items[index]
      var place = index
      while place > 0, precedes(item, items[place - 1], from: position) {
        items[place] = items[place - 1]
        place -= 1
      }
      items[place] = item
    }
  }

  private static let insertedItemCountMax = 24

  private func isAscending(
    _ items: UnsafeMutableBufferPointer<RadixSort.Item>, from position: Int
  ) -> Bool {
    for index in 1..<items.count where !precedes(items[index - 1], items[index], from: position) {
      return false
    }
    return true
  }

  /// Whether one entry is before another that agrees with it in the bytes before `position`.
  private func precedes(
    _ left: RadixSort.Item, _ right: RadixSort.Item, from position: Int
  ) -> Bool {
    let (left, right) = (entries[Int(left.place)], entries[Int(right.place)])
    if let known = left.precedes(right) { return known }
    let (leftCount, rightCount) = (Int(left.byteCount), Int(right.byteCount))
    let common = min(leftCount, rightCount) - position
    let order =
      common > 0
      ? memcmp(
        block.start + Int(left.offset) + position, block.start + Int(right.offset) + position,
        common) : 0
    return order == 0 ? leftCount < rightCount : order < 0
  }

  /// How many bytes of an entry it is sorted by.
  private func byteCountToSort(_ entry: IndexRun.Entry) -> Int {
    Int(entry.byteCount) - (areObjectsAscending ? KeyEncoder.objectKeyByteCount : 0)
  }

  /// 8 bytes of an entry as a big-endian number, with zeros behind the bytes to sort by.
  @inline(__always)
  private func bits(of entry: IndexRun.Entry, at position: Int) -> UInt64 {
    let rest = byteCountToSort(entry) - position
    if rest <= 0 { return 0 }
    let start = UnsafeRawPointer(block.start + Int(entry.offset) + position)
    if rest >= 8 || areObjectsAscending {
      // A shorter rest of the value has the object's key behind it.
      let bits = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
      return rest >= 8 ? bits : bits & ~(UInt64.max >> UInt64(rest * 8))
    }
    var bits: UInt64 = 0
    for index in 0..<8 {
      bits <<= 8
      if index < rest { bits |= UInt64(start.load(fromByteOffset: index, as: UInt8.self)) }
    }
    return bits
  }
}
