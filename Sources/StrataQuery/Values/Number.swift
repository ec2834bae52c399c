// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataModel

/// A numeric value of any type, for calculations and comparisons.
///
/// ## Rules
/// | operands | result |
/// | --- | --- |
/// | integers | an integer; `/` rounds towards zero; `%` has the sign of the left one |
/// | one is a floating-point number | a `Double` |
/// | decimals, or a decimal and an integer | a `Decimal` |
/// | any, with `**` | a `Double` |
///
/// A calculation without a result is nil and never traps: a division by zero of any type, the
/// remainder of numbers that are not integers, an integer that fits neither `Int64` nor `UInt64`, a
/// decimal that is too large. A floating-point number that is too large is infinite.
///
/// Comparison is exact: an integer and a floating-point number are compared without converting one
/// to the other's type. A decimal and a floating-point number are compared as `Double`s.
package enum Number: Sendable {
  case integer(Int128)
  case floating(Double)
  case decimal(Decimal)

  /// Creates a number; nil if the value is not numeric.
  package init?(_ value: PropertyValue) {
    switch value {
    case .int(let number): self = .integer(Int128(number))
    case .uint(let number): self = .integer(Int128(number))
    case .double(let number): self = .floating(number)
    case .decimal(let number): self = .decimal(number)
    default: return nil
    }
  }

  /// The number as a value; `.null` for an integer that fits neither `Int64` nor `UInt64`, and for
  /// a decimal NaN.
  package var value: PropertyValue {
    switch self {
    case .floating(let number): return .double(number)
    case .decimal(let number): return number.isNaN ? .null : .decimal(number)
    case .integer(let number):
      if let small = Int64(exactly: number) { return .int(small) }
      return UInt64(exactly: number).map(PropertyValue.uint) ?? .null
    }
  }

  /// Whether the number is NaN, floating-point or decimal.
  var isNaN: Bool {
    switch self {
    case .integer: false
    case .floating(let number): number.isNaN
    case .decimal(let number): number.isNaN
    }
  }

  package var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .floating(let number): number
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    }
  }

  /// The number as a decimal; nil for a floating-point number, or an integer that no decimal can
  /// represent.
  private var decimal: Decimal? {
    switch self {
    case .integer(let number):
      Int64(exactly: number).map { Decimal($0) } ?? Decimal(string: String(number))
    case .floating: nil
    case .decimal(let number): number
    }
  }
}

// MARK: - Calculating

extension Number {
  package enum Operator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case power = "**"
  }

  /// Returns the result; nil for a calculation without a result.
  package static func calculate(_ left: Number, _ operation: Operator, _ right: Number) -> Number? {
    if operation == .power { return .floating(pow(left.double, right.double)) }
    if case .integer(let left) = left, case .integer(let right) = right {
      return integer(left, operation, right).map(Number.integer)
    }
    if let left = left.decimal, let right = right.decimal {
      return decimal(left, operation, right).map(Number.decimal)
    }
    let (left, right) = (left.double, right.double)
    switch operation {
    case .add: return .floating(left + right)
    case .subtract: return .floating(left - right)
    case .multiply: return .floating(left * right)
    case .divide: return right == 0 ? nil : .floating(left / right)
    case .remainder: return nil
    case .power: return .floating(pow(left, right))
    }
  }

  /// Returns the result for two values; `.null` for a calculation without a result, or if a value
  /// is not numeric.
  static func calculate(_ left: PropertyValue, _ operation: Operator, _ right: PropertyValue)
    -> PropertyValue
  {
    guard let left = Number(left), let right = Number(right) else { return .null }
    return calculate(left, operation, right)?.value ?? .null
  }

  private static func integer(_ left: Int128, _ operation: Operator, _ right: Int128) -> Int128? {
    let (result, didOverflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide, .power: left.dividedReportingOverflow(by: right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    return didOverflow ? nil : result
  }

  private static func decimal(
    _ left: Decimal, _ operation: Operator, _ right: Decimal
  ) -> Decimal? {
    guard let left = DecimalArithmetic(left), let right = DecimalArithmetic(right) else {
      return nil
    }
    let result: DecimalArithmetic? =
      switch operation {
      case .add: DecimalArithmetic.sum(left, right)
      case .subtract: DecimalArithmetic.difference(left, right)
      case .multiply: DecimalArithmetic.product(left, right)
      case .divide, .power: DecimalArithmetic.quotient(left, right)
      case .remainder: nil
      }
    return result?.decimal
  }
}

// MARK: - Comparing

extension Number {
  /// Returns the order: negative if `left` is less, 0 if both are equal, positive if `left` is
  /// greater; nil if one is NaN. Among decimals, as in Swift, NaN is equal to itself and less than
  /// all others.
  package static func order(_ left: Number, _ right: Number) -> Int? {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left == right ? 0 : left < right ? -1 : 1
    case (.integer(let left), .floating(let right)): return order(left, right)
    case (.floating(let left), .integer(let right)): return order(right, left).map { -$0 }
    default: break
    }
    if let left = left.decimal, let right = right.decimal {
      return left == right ? 0 : left < right ? -1 : 1
    }
    return order(left.double, right.double)
  }

  private static func order(_ left: Double, _ right: Double) -> Int? {
    left == right ? 0 : left < right ? -1 : left > right ? 1 : nil
  }

  private static func order(_ left: Int128, _ right: Double) -> Int? {
    if right.isNaN { return nil }
    // 2¹²⁷ is the least number that is too large; -2¹²⁷ fits.
    if right >= 0x1p127 { return -1 }
    if right < -0x1p127 { return 1 }
    let whole = right.rounded(.towardZero)
    let integer = Int128(whole)
    if left != integer { return left < integer ? -1 : 1 }
    return whole == right ? 0 : whole < right ? -1 : 1
  }
}
