// SPDX-License-Identifier: Apache-2.0

// MARK: - Validation

extension RecordLayout {
  /// The model version that the record of `bytes` was written with: which layout it needs.
  /// - Throws: `RecordError.tooShort`.
  package static func version(
    of bytes: UnsafeRawBufferPointer
  ) throws(RecordError) -> UInt16 {
    guard bytes.count >= headerByteCount else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: headerByteCount)
    }
    return UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)) & ~wideBit
  }

  /// Checks that no slot's value leaves `bytes`: after that every read of this layout is safe,
  /// whatever the bytes are. It looks at the header and the end offsets, not at the values.
  /// - Throws: any case of `RecordError` but `checksumMismatch`.
  /// - Complexity: O(variable slots).
  package func validate(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
    let found = try Self.version(of: bytes)
    guard found == version else { throw .unknownVersion(found: found) }
    let header = UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self))
    let width = header & Self.wideBit == 0 ? 2 : 4
    let variableStart = fixedEnd + variableCount * width
    guard bytes.count >= variableStart else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: variableStart)
    }
    let available = bytes.count - variableStart
    var end = 0
    for index in 0..<variableCount {
      let offset = fixedEnd + index * width
      let next =
        width == 2
        ? Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        : Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard next >= end, next <= available else { throw .badOffsets(variableSlot: index) }
      end = next
    }
    guard end == available else { throw .trailingBytes(count: available - end) }
  }
}
