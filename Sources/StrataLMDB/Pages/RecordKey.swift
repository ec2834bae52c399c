// SPDX-License-Identifier: Apache-2.0

/// The bytes under which a `RecordTree` has a number of 48 bits: six, most significant first.
@frozen
@usableFromInline
package struct RecordKey {
  @usableFromInline static var byteCount: Int { 6 }

  @usableFromInline let word: UInt64

  /// - Parameter number: below 2^48.
  @inlinable package init(_ number: UInt64) { word = (number << 16).bigEndian }

  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: word) { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[..<Self.byteCount]))
    }
  }

  /// The number of a key; nil if `bytes` are not such a key.
  @inlinable
  package static func number(of bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count == byteCount else { return nil }
    let high = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    let low = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    return UInt64(high) << 16 | UInt64(low)
  }
}
