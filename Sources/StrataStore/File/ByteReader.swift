// SPDX-License-Identifier: Apache-2.0

/// Reads the parts of some bytes, one after the other: of a chunk of the history, for example. Each
/// read returns nil if the bytes do not have the part.
package struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset: Int

  package init(_ bytes: [UInt8], from offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  package var isAtEnd: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    offset += 1
    return bytes[offset - 1]
  }

  mutating func word() -> UInt64? {
    guard bytes.count - offset >= 8 else { return nil }
    offset += 8
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset - 8, as: UInt64.self))
    }
  }

  /// A number as `Varint` writes it.
  package mutating func number() -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let byte = byte() {
      let bits = UInt64(byte & 0x7F)
      guard (bits << shift) >> shift == bits else { return nil }
      result |= bits << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    return nil
  }

  /// As many bytes as a number before them says.
  mutating func countedBytes() -> [UInt8]? {
    guard let count = number(), count <= UInt64(bytes.count - offset) else { return nil }
    offset += Int(count)
    return Array(bytes[(offset - Int(count))..<offset])
  }

  /// A text that may be nil: the number 0, or 1 + the length as a number and UTF-8. The outer nil
  /// says that the bytes do not have it.
  mutating func text() -> String?? {
    guard let number = number() else { return nil }
    if number == 0 { return .some(nil) }
    guard number - 1 <= UInt64(bytes.count - offset) else { return nil }
    let end = offset + Int(number - 1)
    guard let text = String(validating: bytes[offset..<end], as: UTF8.self) else { return nil }
    offset = end
    return text
  }
}
