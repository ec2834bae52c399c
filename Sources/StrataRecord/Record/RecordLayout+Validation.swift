// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// MARK: - Validation

extension RecordLayout {
  /// The model version that the record of `bytes` was written with: which layout it needs.
  /// - Throws: `RecordError.tooShort`.
  @inline(__always)
  package static func version(
    of bytes: UnsafeRawBufferPointer
  ) throws(RecordError) -> UInt16 {
    guard bytes.count >= headerByteCount else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: headerByteCount)
    }
    return UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)) & ~wideBit
  }

  /// Returns the generation and the record in an envelope, after both are checked.
  ///
  /// - Throws: any case of `RecordError`.
  /// - Complexity: O(bytes).
  package func content(
    of envelope: UnsafeRawBufferPointer, key: ObjectKey
  ) throws(RecordError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    let content = try Envelope.decode(envelope, key: key)
    try validate(content.record)
    return content
  }

  /// Checks that no slot's value leaves `bytes`: after that every read of this layout is safe,
  /// whatever the bytes are. It looks at the header and the end offsets, not at the values.
  /// - Throws: any case of `RecordError` but `checksumMismatch`.
  /// - Complexity: O(variable slots).
  @inline(__always)
  package func validate(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
    guard bytes.count >= Self.headerByteCount, let start = bytes.baseAddress else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: Self.headerByteCount)
    }
    let header = UInt16(littleEndian: start.loadUnaligned(as: UInt16.self))
    guard header & ~Self.wideBit == version else {
      throw .unknownVersion(found: header & ~Self.wideBit)
    }
    if header & Self.wideBit == 0 {
      try validateEnds(bytes, as: UInt16.self)
    } else {
      try validateEnds(bytes, as: UInt32.self)
    }
  }

  /// Checks the end offsets of the given width.
  @inline(__always)
  private func validateEnds<End: FixedWidthInteger & UnsignedInteger>(
    _ bytes: UnsafeRawBufferPointer, as _: End.Type
  ) throws(RecordError) {
    let width = MemoryLayout<End>.size
    let variableStart = fixedEnd &+ variableCount &* width
    guard bytes.count >= variableStart, let start = bytes.baseAddress else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: variableStart)
    }
    let available = bytes.count &- variableStart
    // All of them are before `variableStart`. If they ascend and the last is the end of the bytes,
    // none is beyond it.
    var place = start + fixedEnd
    let behind = start + variableStart
    var end: End = 0
    var ascends = true
    while place < behind, ascends {
      let next = End(littleEndian: place.loadUnaligned(as: End.self))
      ascends = next >= end
      end = next
      place += width
    }
    guard ascends, Int(end) == available else {
      throw failure(ends: behind, available, as: End.self)
    }
  }

  /// A violation of the end offsets.
  @inline(never)
  private func failure<End: FixedWidthInteger & UnsignedInteger>(
    ends behind: UnsafeRawPointer, _ available: Int, as _: End.Type
  ) -> RecordError {
    let ends = behind - variableCount * MemoryLayout<End>.size
    var end = 0
    for index in 0..<variableCount {
      let place = ends + index * MemoryLayout<End>.size
      let next = Int(End(littleEndian: place.loadUnaligned(as: End.self)))
      if next < end || next > available { return .badOffsets(variableSlot: index) }
      end = next
    }
    return .trailingBytes(count: available - end)
  }
}
