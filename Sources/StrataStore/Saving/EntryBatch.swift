// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// Links of one relationship on their way into its tree, or out of it, sorted before they are written:
/// neighbours land on one page. (Index entries are an `IndexRun`.)
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
    if entries.count < Self.sortedByHeadCountMin { return sort(entries.indices) }
    sortByHead()
    // Those of one head were appended in the order of their objects: mostly they are sorted.
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].head == entries[start].head { end += 1 }
      if end - start > 1 { sort(start..<end) }
      start = end
    }
  }

  /// Fewer are compared with each other.
  private static let sortedByHeadCountMin = 512

  private mutating func sort(_ places: Range<Int>) {
    bytes.withUnsafeBytes { bytes in
      entries[places].sort { left, right in
        if left.head != right.head { return left.head < right.head }
        return Self.key(left, bytes).isBelow(Self.key(right, bytes))
      }
    }
  }

  /// Sorts by the heads alone, byte by byte from the last, which keeps the order of equals. A byte that
  /// is the same everywhere costs nothing.
  private mutating func sortByHead() {
    let first = entries.first?.head ?? 0
    let varying = entries.reduce(UInt64(0)) { $0 | ($1.head ^ first) }
    var sorted = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) where varying >> shift & 0xFF != 0 {
      var places = [Int](repeating: 0, count: 256)
      for entry in entries { places[Int(entry.head >> shift & 0xFF)] += 1 }
      var next = 0
      for byte in 0..<256 { (places[byte], next) = (next, next + places[byte]) }
      for entry in entries {
        let byte = Int(entry.head >> shift & 0xFF)
        sorted[places[byte]] = entry
        places[byte] += 1
      }
      swap(&entries, &sorted)
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
