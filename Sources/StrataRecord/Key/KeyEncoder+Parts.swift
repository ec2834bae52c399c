// SPDX-License-Identifier: Apache-2.0

extension KeyEncoder {
  /// The number of bytes of the part at the beginning of `bytes`: the parts of a compound key are
  /// read one after the other.
  ///
  /// - Returns: nil if the part does not end within `bytes`, because the value was truncated, or is
  ///   none.
  package static func byteCount(
    ofPartAt bytes: UnsafeRawBufferPointer, _ kind: SlotKind
  ) -> Int? {
    guard let first = bytes.first else { return nil }
    let count: Int?
    switch SlotCode(kind) {
    case .float, .double, .date, .toOne: count = 8
    case _ where first == 0: count = 1
    case .bool: count = 1
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      count = 1 + (first >= 0x80 ? Int(first) - 0x80 : 0x7F - Int(first))
    case .uuid: count = 17
    case .decimal: count = byteCount(ofDecimalAt: bytes)
    default: count = byteCount(ofEscapedAt: bytes)
    }
    guard let count, count <= bytes.count else { return nil }
    return count
  }

  /// Up to the 01 at the end, which the second byte of an escape, 02 01, is not.
  private static func byteCount(ofEscapedAt bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case 1: return index + 1
      case 2: index += 2
      default: index += 1
      }
    }
    return nil
  }

  /// Two bytes, then pairs of digits of which the last has its lowest bit clear, or set if the
  /// number is negative.
  private static func byteCount(ofDecimalAt bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= 2 else { return nil }
    let head = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    if head == DecimalKey.zero || head == DecimalKey.notANumber { return 2 }
    let last: UInt8 = head < DecimalKey.zero ? 1 : 0
    return bytes[2...].firstIndex { $0 & 1 == last }.map { $0 + 1 }
  }
}
