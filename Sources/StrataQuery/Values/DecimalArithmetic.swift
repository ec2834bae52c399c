// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataRecord

/// The four arithmetic operations on decimals, with a mantissa of 128 bits, rounded to nearest
/// (half away from zero).
///
/// On Linux, Foundation's operators trap if the exponent of a product is out of range, and a fetch
/// must accept any numbers in the store.
struct DecimalArithmetic {
  private var isNegative: Bool
  private var mantissa: UInt128
  private var exponent: Int

  /// Creates the operand; nil for NaN.
  init?(_ decimal: Decimal) {
    let bytes = DecimalBytes(decimal)
    if bytes.isNaN { return nil }
    (isNegative, mantissa, exponent) = (bytes.isNegative, bytes.mantissa, Int(bytes.exponent))
  }

  private init(_ isNegative: Bool, _ mantissa: UInt128, _ exponent: Int) {
    (self.isNegative, self.mantissa, self.exponent) = (isNegative, mantissa, exponent)
  }

  /// The decimal; nil if the number is too large. A number that is too small becomes 0.
  var decimal: Decimal? {
    var number = self
    while number.exponent > 127 || number.mantissa == 0 {
      if number.mantissa == 0 { return Decimal() }
      guard number.scaleUp() else { return nil }
    }
    while number.exponent < -128 { number.scaleDown() }
    return DecimalBytes(
      mantissa: number.mantissa, exponent: Int8(number.exponent), isNegative: number.isNegative
    ).decimal
  }

  // MARK: - Scaling

  /// Appends a zero digit, if there is room.
  private mutating func scaleUp() -> Bool {
    let (product, didOverflow) = mantissa.multipliedReportingOverflow(by: 10)
    guard !didOverflow else { return false }
    mantissa = product
    exponent -= 1
    return true
  }

  /// Rounds off the last digit.
  private mutating func scaleDown() {
    let (quotient, digit) = mantissa.quotientAndRemainder(dividingBy: 10)
    mantissa = quotient + (digit >= 5 ? 1 : 0)
    exponent += 1
  }

  // MARK: - Calculating

  static func sum(_ left: DecimalArithmetic, _ right: DecimalArithmetic) -> DecimalArithmetic {
    if left.mantissa == 0 { return right }
    if right.mantissa == 0 { return left }
    var (one, two) = left.exponent >= right.exponent ? (left, right) : (right, left)
    while one.exponent > two.exponent, one.scaleUp() {}
    while one.exponent > two.exponent, two.mantissa > 0 { two.scaleDown() }
    if two.mantissa == 0 { return one }
    if one.isNegative != two.isNegative {
      let isOneLarger = one.mantissa >= two.mantissa
      let difference = isOneLarger ? one.mantissa - two.mantissa : two.mantissa - one.mantissa
      return DecimalArithmetic(
        isOneLarger ? one.isNegative : two.isNegative, difference, one.exponent)
    }
    let (sum, didOverflow) = one.mantissa.addingReportingOverflow(two.mantissa)
    if !didOverflow { return DecimalArithmetic(one.isNegative, sum, one.exponent) }
    one.scaleDown()
    two.scaleDown()
    return DecimalArithmetic(one.isNegative, one.mantissa + two.mantissa, one.exponent)
  }

  static func difference(
    _ left: DecimalArithmetic, _ right: DecimalArithmetic
  ) -> DecimalArithmetic {
    sum(left, DecimalArithmetic(!right.isNegative, right.mantissa, right.exponent))
  }

  static func product(_ left: DecimalArithmetic, _ right: DecimalArithmetic) -> DecimalArithmetic {
    var (high, low) = left.mantissa.multipliedFullWidth(by: right.mantissa)
    var exponent = left.exponent + right.exponent
    var digit: UInt128 = 0
    while high != 0 {
      let (quotient, remainder) = high.quotientAndRemainder(dividingBy: 10)
      (low, digit) = (10 as UInt128).dividingFullWidth((remainder, low))
      high = quotient
      exponent += 1
    }
    var product = DecimalArithmetic(left.isNegative != right.isNegative, low, exponent)
    product.round(up: digit >= 5)
    return product
  }

  /// Returns the quotient; nil if `right` is 0.
  static func quotient(_ left: DecimalArithmetic, _ right: DecimalArithmetic) -> DecimalArithmetic?
  {
    guard right.mantissa != 0 else { return nil }
    // Computes as many digits as the quotient has room for.
    var (scale, zeros): (UInt128, Int) = (1, 0)
    var numerator = left.mantissa.multipliedFullWidth(by: 1)
    while zeros < 38 {
      let next = left.mantissa.multipliedFullWidth(by: scale * 10)
      guard next.high < right.mantissa else { break }
      (scale, zeros, numerator) = (scale * 10, zeros + 1, next)
    }
    let (whole, rest) = right.mantissa.dividingFullWidth(numerator)
    var quotient = DecimalArithmetic(
      left.isNegative != right.isNegative, whole, left.exponent - right.exponent - zeros)
    quotient.round(up: rest >= right.mantissa - rest)
    quotient.trim()
    return quotient
  }

  private mutating func round(up isUp: Bool) {
    guard isUp else { return }
    if mantissa == .max { scaleDown() }
    mantissa += 1
  }

  /// Removes zero digits at the end.
  private mutating func trim() {
    while mantissa != 0, mantissa.isMultiple(of: 10) {
      mantissa /= 10
      exponent += 1
    }
  }
}
