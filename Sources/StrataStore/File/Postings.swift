// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// The storage of the objects with one value in an index: blocks in ascending order.
///
/// ```
///  key    [ number │ value │ first object ]
///  value  [ to the second │ to the third │ … ]       the distance of each key to the one before
/// ```
///
/// Values repeat: a thousand objects of one company take two or three bytes each instead of the
/// value, the object's key and LMDB's overhead per entry. A value that a single object has is an
/// entry without a value.
///
/// Docs/FileFormat.md, "index entries".
///
/// ## Invariants
/// - I1 The objects of a block are above those of the blocks of the same value before it.
package enum Postings {
  /// The maximum number of bytes of a block after its key. A change rewrites its block, so the
  /// maximum is much less than a page.
  static let byteCountMax = 128

  /// The bytes are not a valid block, or blocks are not in order.
  package struct Damage: Error {}

  /// How many bytes `delta` takes.
  static func byteCount(of delta: UInt64) -> Int {
    max(1, (70 - delta.leadingZeroBitCount) / 7)
  }

  /// Writes a distance in LEB128, as `Varint` does, but into memory: it is called for each object.
  /// - Returns: how many bytes it took.
  @inline(__always)
  static func write(_ delta: UInt64, to start: UnsafeMutableRawPointer) -> Int {
    var rest = delta
    var count = 0
    while rest > 0x7F {
      start.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      rest >>= 7
      count += 1
    }
    start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    return count + 1
  }

  /// Walks the objects of one block.
  package struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// The key of the object that it has come to.
    package private(set) var object: UInt64

    /// - Parameters:
    ///   - first: the object in the block's key.
    ///   - bytes: the block's value; read as long as the reader is used.
    package init(from first: UInt64, _ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
      object = first
    }

    /// Moves to the next object.
    /// - Returns: false if there is no such entry.
    @inline(__always)
    package mutating func next() throws(Damage) -> Bool {
      if offset == bytes.count { return false }
      var byte = bytes[offset]
      offset += 1
      var delta = UInt64(byte & 0x7F)
      var shift: UInt64 = 7
      while byte > 0x7F {
        guard offset < bytes.count, shift < 64 else { throw Damage() }
        byte = bytes[offset]
        offset += 1
        // No distance is written with a byte that it does not need, and none has 65 bits.
        if byte == 0 || shift == 63 && byte > 1 { throw Damage() }
        delta |= UInt64(byte & 0x7F) << shift
        shift += 7
      }
      let (sum, isBeyond) = object.addingReportingOverflow(delta)
      if delta == 0 || isBeyond { throw Damage() }
      object = sum
      return true
    }
  }

  /// The number of objects of a block, without looking at them: the first one, and one for each
  /// distance. The last byte of a distance has its highest bit clear.
  ///
  /// - Throws: if these are not the bytes of distances. No byte of a distance above 0 is 0.
  @inline(__always)
  package static func count(of value: UnsafeRawBufferPointer) throws(Damage) -> Int {
    value.isEmpty ? 1 : try countDistances(in: value) + 1
  }

  private static func countDistances(
    in value: UnsafeRawBufferPointer
  ) throws(Damage) -> Int {
    guard value.count <= byteCountMax, value[value.count - 1] < 0x80 else { throw Damage() }
    var count = 0
    var offset = 0
    // Eight bytes at a time.
    let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    while offset &+ 8 <= value.count {
      let word = value.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if (word &- ones) & ~word & highBits != 0 { throw Damage() }
      count &+= Int(truncatingIfNeeded: ((~word & highBits) &>> 7 &* ones) &>> 56)
      offset &+= 8
    }
    while offset < value.count {
      let byte = value[offset]
      if byte == 0 { throw Damage() }
      if byte < 0x80 { count &+= 1 }
      offset &+= 1
    }
    return count
  }

  /// Adds the objects of a block to `objects`.
  static func append(
    objectsOf key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    to objects: inout [UInt64]
  ) throws(Damage) {
    var reader = Reader(from: object(ofKey: key), value)
    repeat { objects.append(reader.object) } while try reader.next()
  }

  /// The object at the end of an entry's or a block's key, which has 8 bytes at least.
  @inline(__always)
  static func object(ofKey key: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(
      bigEndian: key.loadUnaligned(
        fromByteOffset: key.count - KeyEncoder.objectKeyByteCount, as: UInt64.self))
  }

  /// The bytes before the object.
  @inline(__always)
  static func list(ofKey key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: key[..<(key.count - KeyEncoder.objectKeyByteCount)])
  }
}
