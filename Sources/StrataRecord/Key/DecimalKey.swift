// SPDX-License-Identifier: Apache-2.0

/// The part of a key for a decimal number: its encoder, and its decoder.
///
/// ```
///  [ sign and magnitude, 2 bytes ][ pair of digits ][ pair of digits ] …
/// ```
///
/// The number is 0.d₁d₂… · 10^magnitude with d₁ > 0. Pairs of digits come most significant first,
/// as 2·pair + 1, and as 2·pair for the last. A negative number has the two's complement of the
/// first two bytes, and the bits of its pairs are inverted. Zero and NaN have no digits.
enum DecimalKey {
  /// The two bytes of 0. A negative number has less, a positive one more.
  static let zero: UInt16 = 0x8000
  /// The two bytes of NaN, above all numbers.
  static let notANumber: UInt16 = 0xFF00
  /// The two bytes of a positive number of magnitude 0. Magnitudes are -127 … 167.
  static let magnitudeZero = Int(zero) + 200
}

extension KeyPart {
  mutating func append(decimal: DecimalBytes) {
    if decimal.isNaN { return append(twoBytes: DecimalKey.notANumber) }
    guard decimal.mantissa != 0 else { return append(twoBytes: DecimalKey.zero) }
    var digits: [UInt8] = []
    var rest = decimal.mantissa
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      digits.append(UInt8(digit))
      rest = quotient
    }
    digits.reverse()
    let magnitude = digits.count + Int(decimal.exponent)
    while digits.last == 0 { digits.removeLast() }
    let positive = DecimalKey.magnitudeZero + magnitude
    append(twoBytes: UInt16(decimal.isNegative ? 0x10000 - positive : positive))
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = digits[index] * 10 + (index + 1 < digits.count ? digits[index + 1] : 0)
      let byte = pair * 2 + (index + 2 < digits.count ? 1 : 0)
      append(byte: decimal.isNegative ? ~byte : byte)
    }
  }
}

extension DecimalBytes {
  /// The decimal of a key's part; nil for NaN, and for bytes that are not a part.
  init?(ofPartAt bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 2 else { return nil }
    let head = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    if head == DecimalKey.notANumber { return nil }
    if head == DecimalKey.zero {
      self.init(mantissa: 0, exponent: 0, isNegative: false)
      return
    }
    let isNegative = head < DecimalKey.zero
    let magnitude = Int(isNegative ? 0 &- head : head) - DecimalKey.magnitudeZero
    var mantissa: UInt128 = 0
    var digitCount = 0
    var index = 2
    var isLast = false
    while !isLast {
      guard index < bytes.count else { return nil }
      let byte = isNegative ? ~bytes[index] : bytes[index]
      isLast = byte & 1 == 0
      let pair = byte >> 1
      guard pair < 100 else { return nil }
      let isHalf = isLast && pair % 10 == 0
      guard let longer = mantissa.times(isHalf ? 10 : 100, plus: isHalf ? pair / 10 : pair) else {
        return nil
      }
      mantissa = longer
      digitCount += isHalf ? 1 : 2
      index += 1
    }
    var exponent = magnitude - digitCount
    while exponent > 127 {
      guard let longer = mantissa.times(10, plus: 0) else { return nil }
      (mantissa, exponent) = (longer, exponent - 1)
    }
    guard let exponent = Int8(exactly: exponent), mantissa > 0 else { return nil }
    self.init(mantissa: mantissa, exponent: exponent, isNegative: isNegative)
  }
}

extension UInt128 {
  /// nil if the result is too large.
  fileprivate func times(_ factor: UInt128, plus digits: UInt8) -> UInt128? {
    let (product, isBeyond) = multipliedReportingOverflow(by: factor)
    let (sum, isSumBeyond) = product.addingReportingOverflow(UInt128(digits))
    return isBeyond || isSumBeyond ? nil : sum
  }
}
