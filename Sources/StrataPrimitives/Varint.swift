// SPDX-License-Identifier: Apache-2.0

/// Numbers in LEB128, as stores have them: seven bits in each byte, the lowest first, and the
/// highest bit set in all but the last. A small number takes one byte, and the largest takes ten.
@usableFromInline
package enum Varint {
  /// Appends the bytes of a number.
  @inlinable
  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
