// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataPrimitives
import StrataRecord

/// The pending objects of a segment in the order of one index, as the sorted entries that the index
/// in the store would hold for them: value bytes followed by the object's key.
///
/// A fetch walks a run beside the store's index as if the two were one.
///
/// ```
///  entries  [ head │ object │ where ] …         sorted
///                             │
///  blocks   [ … value·key  value·key  … ] …     as they were encoded; merged runs share them
/// ```
///
/// ## Invariants
/// - I1 Entries ascend bytewise without repetition, and the head and the object of each are its
///   first and its last 8 bytes.
package struct IndexRun: Sendable {
  /// The block and the position of an entry's bytes.
  package struct Entry: Sendable {
    /// The first 8 bytes as a big-endian number. An entry has 9 at least.
    let head: UInt64
    package let object: ObjectKey
    let offset: UInt32
    let byteCount: UInt16
    /// Which of the run's blocks has the bytes.
    let block: UInt16

    /// Whether this comes before `other`, if the heads decide it; nil if the bytes must be
    /// compared.
    @inline(__always)
    func precedes(_ other: Entry) -> Bool? {
      if head != other.head { return head < other.head }
      // A value of 8 bytes or less is contained in the head.
      let isShort = byteCount <= 8 + KeyEncoder.objectKeyByteCount
      return isShort && byteCount == other.byteCount ? object < other.object : nil
    }

    /// - Parameter starts: where the run's blocks begin.
    @inline(__always)
    func bytes(in starts: [UnsafeMutableRawPointer]) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: starts[Int(block)] + Int(offset), count: Int(byteCount))
    }
  }

  package let entries: [Entry]
  private let blocks: [EntryBlock]

  package init() { self.init([], []) }

  init(_ entries: [Entry], _ blocks: [EntryBlock]) {
    self.entries = entries
    self.blocks = blocks
    checkInvariants()
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// Calls `body` with the bytes of the entry at `index`.
  package func withBytes<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    defer { withExtendedLifetime(blocks) {} }
    return try body(bytes(of: entries[index]))
  }

  /// Calls `body` with the bytes of each entry, in order.
  package func forEachEntry(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try Self.forEachEntry(removed: IndexRun(), added: self) { _, entry in try body(entry) }
  }

  /// Calls `body` with each entry of two runs, in the order of both; of equal ones, the entry of
  /// `removed` comes first.
  package static func forEachEntry(
    removed: IndexRun, added: IndexRun,
    _ body: (_ isAdded: Bool, UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    defer { withExtendedLifetime((removed, added)) {} }
    let (removedStarts, addedStarts) = (removed.blocks.map(\.start), added.blocks.map(\.start))
    var next = 0
    for entry in removed.entries {
      while next < added.entries.count, added.precedes(next, entry, of: removed) {
        try body(true, added.entries[next].bytes(in: addedStarts))
        next += 1
      }
      try body(false, entry.bytes(in: removedStarts))
    }
    for entry in added.entries[next...] { try body(true, entry.bytes(in: addedStarts)) }
  }

  /// The bytes of the entry at `index`.
  ///
  /// - Important: they are valid as long as the caller keeps the run.
  package func bytes(at index: Int) -> UnsafeRawBufferPointer { bytes(of: entries[index]) }

  /// Valid as long as the run is kept.
  private func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: blocks[Int(entry.block)].start + Int(entry.offset), count: Int(entry.byteCount))
  }

  /// The index of the first entry that is not below `bound`. O(log entries).
  package func firstIndex(notBelow bound: [UInt8]) -> Int {
    firstIndex(notBelow: bound, in: 0..<entries.count)
  }

  /// The entries within `range`. O(log entries).
  package func indices(in range: KeyRange) -> Range<Int> {
    let first = firstIndex(notBelow: range.lower)
    guard let upper = range.upper else { return first..<entries.count }
    // Most ranges are short: the end is looked for from the beginning on, in growing steps.
    var (low, step) = (first, 8)
    while low + step < entries.count, isBelow(upper, low + step) {
      low += step
      step *= 2
    }
    return first..<firstIndex(notBelow: upper, in: low..<min(low + step, entries.count))
  }

  private func isBelow(_ bound: [UInt8], _ index: Int) -> Bool {
    bound.withUnsafeBytes { isBelow($0, head: Self.head(of: $0), entries[index]) }
  }

  /// - Parameter range: all entries before it are below `bound`, those behind it are not.
  private func firstIndex(notBelow bound: [UInt8], in range: Range<Int>) -> Int {
    bound.withUnsafeBytes { bound in
      let head = Self.head(of: bound)
      return entries.withUnsafeBufferPointer { entries in
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
          let middle = (low + high) / 2
          if isBelow(bound, head: head, entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
      }
    }
  }

  /// Whether an entry is below `bound`. Mostly the heads decide it; the bytes are stored elsewhere.
  @inline(__always)
  private func isBelow(
    _ bound: UnsafeRawBufferPointer, head: UInt64, _ entry: Entry
  ) -> Bool {
    entry.head == head ? bytes(of: entry).isBelow(bound) : entry.head < head
  }

  /// The first 8 bytes as a big-endian number; zeros where there are fewer. An entry with another
  /// head is on the same side of the bytes as of these.
  static func head(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var head: UInt64 = 0
    withUnsafeMutableBytes(of: &head) { $0.copyBytes(from: bytes.prefix(8)) }
    return UInt64(bigEndian: head)
  }
}

// MARK: - Merging

extension IndexRun {
  /// More blocks than these are made one.
  private static let blockCountMax = 32

  /// Merges two sorted runs into one. O(entries of both); bytes are copied only if most of them
  /// would belong to hidden entries, or if they would be in too many blocks.
  ///
  /// - Parameter isHidden: whether an entry of `older` is left out, because a newer change of its
  ///   object is known.
  static func merge(
    _ newer: IndexRun, _ older: IndexRun, isHidden: (ObjectKey) -> Bool
  ) -> IndexRun {
    var entries: [Entry] = []
    entries.reserveCapacity(newer.entries.count + older.entries.count)
    let blockOffset = UInt16(older.blocks.count)
    var byteCount = 0
    var next = 0
    func take() {
      let entry = newer.entries[next]
      byteCount += Int(entry.byteCount)
      entries.append(
        Entry(
          head: entry.head, object: entry.object, offset: entry.offset, byteCount: entry.byteCount,
          block: entry.block + blockOffset))
      next += 1
    }
    for entry in older.entries where !isHidden(entry.object) {
      while next < newer.entries.count, newer.precedes(next, entry, of: older) { take() }
      byteCount += Int(entry.byteCount)
      entries.append(entry)
    }
    while next < newer.entries.count { take() }
    let merged = IndexRun(entries, older.blocks + newer.blocks)
    let blockByteCount = merged.blocks.reduce(0) { $0 + $1.byteCount }
    if merged.blocks.count <= blockCountMax, blockByteCount <= 2 * byteCount { return merged }
    return merged.gathered(byteCount: byteCount)
  }

  private func precedes(_ index: Int, _ other: Entry, of run: IndexRun) -> Bool {
    let entry = entries[index]
    return entry.precedes(other) ?? bytes(of: entry).isBelow(run.bytes(of: other))
  }

  /// The same entries with all bytes in one block, in their order.
  private func gathered(byteCount: Int) -> IndexRun {
    let block = EntryBlock(capacity: byteCount)
    let gathered = entries.map { entry in
      let bytes = bytes(of: entry)
      let offset = block.byteCount
      UnsafeMutableRawBufferPointer(start: block.reserve(bytes.count), count: bytes.count)
        .copyMemory(from: bytes)
      block.byteCount += bytes.count
      return Entry(
        head: entry.head, object: entry.object, offset: UInt32(offset),
        byteCount: entry.byteCount, block: 0)
    }
    return IndexRun(gathered, [block])
  }
}
