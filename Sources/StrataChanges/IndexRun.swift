// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// The pending objects of a segment in the order of one index: what the index in the store would
/// hold for them, as sorted entries of value bytes followed by the object's key.
///
/// A fetch walks a run beside the store's index as if the two were one.
///
/// ## Invariants
/// - I1 Entries ascend bytewise, and no two are equal.
package struct IndexRun: Sendable {
  /// Where an entry's bytes lie in `bytes`, and whose they are.
  package struct Entry: Sendable {
    let offset: UInt32
    let byteCount: UInt32
    package let object: ObjectKey
  }

  package private(set) var entries: [Entry] = []
  private var bytes: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Adds the entry of one object; `encode` appends the value's bytes. Sort before reading.
  mutating func append(_ object: ObjectKey, encode: (inout [UInt8]) -> Void) {
    let start = bytes.count
    encode(&bytes)
    KeyEncoder.append(objectKey: object, to: &bytes)
    entries.append(
      Entry(offset: UInt32(start), byteCount: UInt32(bytes.count - start), object: object))
  }

  mutating func sort() {
    bytes.withUnsafeBytes { bytes in
      entries.sort { Self.precedes(Self.slice(bytes, $0), Self.slice(bytes, $1)) }
    }
  }

  /// Merges two sorted runs into one.
  ///
  /// - Parameter isHidden: whether an entry of `older` is left out, because a newer change of its
  ///   object is known.
  static func merge(
    _ newer: IndexRun, _ older: IndexRun, isHidden: (ObjectKey) -> Bool
  ) -> IndexRun {
    var merged = IndexRun()
    merged.entries.reserveCapacity(newer.entries.count + older.entries.count)
    merged.bytes.reserveCapacity(newer.bytes.count + older.bytes.count)
    newer.bytes.withUnsafeBytes { newerBytes in
      older.bytes.withUnsafeBytes { olderBytes in
        var next = newer.entries.startIndex
        for entry in older.entries where !isHidden(entry.object) {
          let bytes = slice(olderBytes, entry)
          while next < newer.entries.endIndex,
            precedes(slice(newerBytes, newer.entries[next]), bytes)
          {
            merged.append(newer.entries[next].object, slice(newerBytes, newer.entries[next]))
            next += 1
          }
          merged.append(entry.object, bytes)
        }
        for entry in newer.entries[next...] {
          merged.append(entry.object, slice(newerBytes, entry))
        }
      }
    }
    return merged
  }

  private mutating func append(_ object: ObjectKey, _ entry: UnsafeRawBufferPointer) {
    let offset = UInt32(bytes.count)
    bytes.append(contentsOf: entry)
    entries.append(Entry(offset: offset, byteCount: UInt32(entry.count), object: object))
  }

  /// Calls `body` with the bytes of the entry at `index`.
  package func withBytes<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    try bytes.withUnsafeBytes { try body(Self.slice($0, entries[index])) }
  }

  /// The index of the first entry that is not below `bound`. O(log entries).
  package func firstIndex(notBelow bound: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let isBelow = withBytes(at: middle) { entry in
        bound.withUnsafeBytes { Self.precedes(entry, $0) }
      }
      if isBelow { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func slice(
    _ bytes: UnsafeRawBufferPointer, _ entry: Entry
  ) -> UnsafeRawBufferPointer {
    let start = Int(entry.offset)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(entry.byteCount))])
  }

  /// Bytewise order, the shorter first where one begins the other: LMDB's order of keys.
  package static func precedes(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    let common = min(left.count, right.count)
    guard common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress else {
      return left.count < right.count
    }
    let order = memcmp(leftStart, rightStart, common)
    return order == 0 ? left.count < right.count : order < 0
  }
}
