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
  let blocks: [EntryBlock]
  /// The number of bytes of the entries; the blocks may have others.
  let byteCount: Int

  package init() { self.init([], [], byteCount: 0) }

  init(_ entries: [Entry], _ blocks: [EntryBlock], byteCount: Int) {
    self.entries = entries
    self.blocks = blocks
    self.byteCount = byteCount
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
  func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
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

  /// Whether the entry at `index` comes before the one at `otherIndex` of another run.
  @inline(__always)
  func precedes(_ index: Int, _ other: IndexRun, _ otherIndex: Int) -> Bool {
    precedes(index, other.entries[otherIndex], of: other)
  }

  @inline(__always)
  private func precedes(_ index: Int, _ other: Entry, of run: IndexRun) -> Bool {
    let entry = entries[index]
    return entry.precedes(other) ?? bytes(of: entry).isBelow(run.bytes(of: other))
  }
}
