// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Entries of one index or relationship on their way into its tree, or out of it, sorted before they
/// are written: neighbours land on one page.
///
/// The first eight bytes of each stand beside its place, as a number, so that most comparisons touch
/// no other memory.
///
/// ## Invariants
/// - I1 After `sort`, entries ascend bytewise.
struct EntryBatch {
  private struct Entry {
    let head: UInt64
    let offset: Int
    let keyByteCount: UInt16
    let valueByteCount: UInt8
  }

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  // MARK: - Adding

  /// Adds the index entry of one object; `encode` appends the value's bytes.
  mutating func append(_ object: ObjectKey, encode: (inout [UInt8]) -> Void) {
    let start = bytes.count
    encode(&bytes)
    KeyEncoder.append(objectKey: object, to: &bytes)
    close(from: start, valueByteCount: 0)
  }

  /// Adds a link; a position other than 0 is written beside it.
  mutating func append(link owner: ObjectKey, to target: ObjectKey, position: UInt64 = 0) {
    let start = bytes.count
    KeyEncoder.append(objectKey: owner, to: &bytes)
    KeyEncoder.append(objectKey: target, to: &bytes)
    if position == 0 { return close(from: start, valueByteCount: 0) }
    withUnsafeBytes(of: position.littleEndian) { bytes.append(contentsOf: $0) }
    close(from: start, valueByteCount: 8)
  }

  private mutating func close(from start: Int, valueByteCount: Int) {
    // Each entry ends with an object's key, so it has eight bytes.
    let head = bytes.withUnsafeBytes {
      UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    entries.append(
      Entry(
        head: head, offset: start, keyByteCount: UInt16(bytes.count - start - valueByteCount),
        valueByteCount: UInt8(valueByteCount)))
  }

  mutating func sort() {
    bytes.withUnsafeBytes { bytes in
      entries.sort { left, right in
        if left.head != right.head { return left.head < right.head }
        return Self.key(left, bytes).isBelow(Self.key(right, bytes))
      }
    }
  }

  // MARK: - Reading

  /// Calls `body` with each entry and the value that belongs to it, in order.
  func walk(
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    try bytes.withUnsafeBytes { bytes in
      for entry in entries {
        let end = entry.offset + Int(entry.keyByteCount)
        try body(
          Self.key(entry, bytes),
          UnsafeRawBufferPointer(rebasing: bytes[end..<(end + Int(entry.valueByteCount))]))
      }
    }
  }

  private static func key(
    _ entry: Entry, _ bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: bytes[entry.offset..<(entry.offset + Int(entry.keyByteCount))])
  }
}
