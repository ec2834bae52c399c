// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// A `Decimal` in its stored form: mantissa · 10^exponent, in 18 bytes.
///
/// ```
///  0          1        2                     18
///  ┌──────────┬────────┬─────────────────────┐
///  │ exponent │ flags  │ mantissa            │   flags: bit 0 negative, bit 1 NaN
///  │ Int8     │        │ UInt128             │
///  └──────────┴────────┴─────────────────────┘
/// ```
///
/// The mantissa has no trailing zeros that the exponent can take (1.50 is 15 · 10⁻¹), so equal
/// numbers are equal bytes. Any 18 bytes are some number.
package struct DecimalBytes: Equatable {
  static let byteCount = 18

  package let exponent: Int8
  package let isNegative: Bool
  package let isNaN: Bool
  package let mantissa: UInt128

  package init(mantissa: UInt128, exponent: Int8, isNegative: Bool) {
    self.exponent = mantissa == 0 ? 0 : exponent
    self.isNegative = mantissa != 0 && isNegative
    isNaN = false
    self.mantissa = mantissa
  }

  /// Reads the number's digits: Foundation shows the mantissa itself on some platforms only.
  package init(_ decimal: Decimal) {
    isNaN = decimal.isNaN
    var (mantissa, exponent, zeros, isFraction): (UInt128, Int, Int, Bool) = (0, 0, 0, false)
    for byte in isNaN ? "".utf8 : decimal.description.utf8 {
      guard byte >= UInt8(ascii: "0") else {
        if byte == UInt8(ascii: ".") { isFraction = true }
        continue
      }
      if isFraction { exponent -= 1 }
      if byte == UInt8(ascii: "0") {
        if mantissa != 0 { zeros += 1 }
      } else {
        for _ in 0...zeros { mantissa &*= 10 }
        mantissa &+= UInt128(byte - UInt8(ascii: "0"))
        zeros = 0
      }
    }
    exponent = mantissa == 0 ? 0 : exponent + zeros
    while exponent > 127 { (mantissa, exponent) = (mantissa &* 10, exponent - 1) }
    self.exponent = Int8(clamping: exponent)
    self.mantissa = mantissa
    isNegative = mantissa != 0 && decimal.isSignMinus
  }

  init(at start: UnsafeRawPointer) {
    exponent = start.load(as: Int8.self)
    let flags = (start + 1).load(as: UInt8.self)
    isNegative = flags & 1 != 0
    isNaN = flags & 2 != 0
    mantissa = UInt128(littleEndian: (start + 2).loadUnaligned(as: UInt128.self))
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 2) { bytes in
      bytes.storeBytes(of: exponent, as: Int8.self)
      bytes.storeBytes(
        of: (isNegative ? 1 : 0) | (isNaN ? 2 : 0), toByteOffset: 1, as: UInt8.self)
      bytes.storeBytes(of: mantissa.littleEndian, toByteOffset: 2, as: UInt128.self)
      return body(UnsafeRawBufferPointer(bytes))
    }
  }

  package var decimal: Decimal {
    if isNaN { return .nan }
    if mantissa == 0 { return Decimal() }
    let low = Decimal(UInt64(truncatingIfNeeded: mantissa))
    let high = UInt64(truncatingIfNeeded: mantissa >> 64)
    let significand = high == 0 ? low : Decimal(high) * Self.twoTo64 + low
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: significand)
  }

  private static let twoTo64 = Decimal(UInt64.max) + 1
}
