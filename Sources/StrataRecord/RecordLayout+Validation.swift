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
    guard found == version, let start = bytes.baseAddress else {
      throw .unknownVersion(found: found)
    }
    let header = UInt16(littleEndian: start.loadUnaligned(as: UInt16.self))
    if header & Self.wideBit == 0 {
      try validateEnds(bytes, as: UInt16.self)
    } else {
      try validateEnds(bytes, as: UInt32.self)
    }
  }

  /// Checks the end offsets, of so many bits each.
  @inline(__always)
  private func validateEnds<End: FixedWidthInteger & UnsignedInteger>(
    _ bytes: UnsafeRawBufferPointer, as _: End.Type
  ) throws(RecordError) {
    let width = MemoryLayout<End>.size
    let variableStart = fixedEnd + variableCount * width
    guard bytes.count >= variableStart, let start = bytes.baseAddress else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: variableStart)
    }
    let available = bytes.count - variableStart
    // All of them lie before `variableStart`.
    let ends = start + fixedEnd
    var end = 0
    var index = 0
    while index < variableCount {
      let next = Int(End(littleEndian: (ends + index &* width).loadUnaligned(as: End.self)))
      guard next >= end, next <= available else { throw .badOffsets(variableSlot: index) }
      end = next
      index &+= 1
    }
    guard end == available else { throw .trailingBytes(count: available - end) }
  }
}
