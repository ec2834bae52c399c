// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel

/// Order-preserving keys: the bytes under which an index finds a value. Comparing the bytes of two
/// values of a slot compares the values.
///
/// LMDB's own byte order is then the order of a query: a range of values is a range of keys, a
/// prefix of a text is a prefix of keys, and sorting is walking.
///
/// ```
///  index entry:  [tree's prefix][part][part …][object key, 8 bytes big-endian]
///                               ╰─ value, at most 255 bytes ─╯
/// ```
///
/// | value | part |
/// | --- | --- |
/// | nil | 00; of a double, date or to-one 8 zero bytes |
/// | integer | 80 + n, then its n significant bytes; negative: 7F - n, then those of it |
/// | double, date | 8 bytes, sign bit inverted; negative: all bits inverted. -0 is +0, NaN last |
/// | text, URL | UTF-8 of its NFC form, escaped, then 01 |
/// | data, Codable | the bytes, escaped, then 01 |
///
/// Docs/FileFormat.md, "Keys", has all of them byte for byte.
///
/// ## Invariants
/// - I1: parts of one kind are prefix-free, so nothing that follows changes their order.
/// - I2: `append(slot:)` and `append(value:)` give the same bytes for the same value.
/// - I3: a value is truncated at 255 bytes. Truncated values sort right or equal; a reader of an
///   entry of 255 bytes compares the values themselves.
@usableFromInline
package enum KeyEncoder {
  /// The most bytes of a value, all its parts together. With an object key and a tree's prefix of
  /// up to 248 bytes it stays within LMDB's 511.
  @inlinable package static var valueByteCountMax: Int { 255 }
  /// Bytes of the object key at the end of an entry.
  @inlinable package static var objectKeyByteCount: Int { 8 }

  /// Appends the part for a slot's value, without making a value of it.
  /// - Parameter valueStart: where in `bytes` the value begins, if this is not its first part.
  /// - Returns: whether the value was cut.
  @discardableResult
  package static func append(
    slot: _RecordSlot, to bytes: inout [UInt8], valueStart: Int? = nil
  ) -> Bool {
    append(to: &bytes, valueStart: valueStart) { $0.append(slot) }
  }

  /// How many bytes of memory `write` needs for a value.
  package static var scratchByteCount: Int { KeyPart.capacity(for: valueByteCountMax) }

  /// Writes the part for a slot's value, as `append(slot:)` appends it, behind the first `used`
  /// bytes of a value.
  /// - Parameter value: of `scratchByteCount` bytes; those beyond the part may be written too.
  /// - Returns: how many bytes the part has.
  package static func write(
    slot: _RecordSlot, to value: UnsafeMutableRawPointer, after used: Int = 0
  ) -> Int {
    var part = KeyPart(start: value + used, limit: valueByteCountMax - used)
    part.append(slot)
    return part.count
  }

  /// Appends the part for a value as a slot of `kind` would hold it.
  /// - Parameters:
  ///   - value: `.null`, or one that `kind` holds; a number of another width gives the key of the
  ///     same number.
  ///   - valueStart: where in `bytes` the value begins, if this is not its first part.
  /// - Returns: whether the value was cut.
  @discardableResult
  package static func append(
    value: PropertyValue, kind: SlotKind, to bytes: inout [UInt8], valueStart: Int? = nil
  ) -> Bool {
    append(to: &bytes, valueStart: valueStart) { $0.append(value, SlotCode(kind)) }
  }

  /// Appends the beginning that the parts of all texts with this prefix share: scanning the keys
  /// that begin with it finds each of them, and few others (a longer combining sequence at the
  /// seam, cut values), which the caller sorts out.
  /// - Returns: whether it was cut; then the scan finds texts that share the first 255 bytes.
  @discardableResult
  package static func appendPrefix(
    _ prefix: String, to bytes: inout [UInt8], valueStart: Int? = nil
  ) -> Bool {
    append(to: &bytes, valueStart: valueStart) { $0.append(text: prefix, isWhole: false) }
  }

  /// The part of a slot without a value.
  package static func absentKey(_ kind: SlotKind) -> [UInt8] {
    KeyPart.nilByteCount(SlotCode(kind)) == 1 ? oneZero : eightZeros
  }

  /// The part of NaN, which is above all ordered values; nil for a kind without NaN.
  package static func notANumberKey(_ kind: SlotKind) -> [UInt8]? {
    let notANumber: PropertyValue
    switch kind {
    case .attribute(.float), .attribute(.double): notANumber = .double(.nan)
    case .attribute(.date): notANumber = .date(Date(timeIntervalSinceReferenceDate: .nan))
    case .attribute(.decimal): notANumber = .decimal(.nan)
    default: return nil
    }
    var key: [UInt8] = []
    append(value: notANumber, kind: kind, to: &key)
    return key
  }

  private static let oneZero: [UInt8] = [0]
  private static let eightZeros = [UInt8](repeating: 0, count: 8)

  /// Appends an object's key: the end of an entry.
  package static func append(objectKey: ObjectKey, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: objectKey.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The object that an entry points to; nil if the entry is too short to have one.
  package static func objectKey(ofEntry entry: UnsafeRawBufferPointer) -> ObjectKey? {
    guard entry.count >= objectKeyByteCount else { return nil }
    let offset = entry.count - objectKeyByteCount
    return ObjectKey(
      rawValue: UInt64(
        bigEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
  }

  private static func append(
    to bytes: inout [UInt8], valueStart: Int?, part: (inout KeyPart) -> Void
  ) -> Bool {
    let used = valueStart.map { bytes.count - $0 } ?? 0
    return withUnsafeTemporaryAllocation(byteCount: scratchByteCount, alignment: 8) { scratch in
      var key = KeyPart(start: scratch.baseAddress!, limit: max(valueByteCountMax - used, 0))
      part(&key)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<key.count]))
      return key.isCut
    }
  }
}
