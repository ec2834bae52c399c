// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataModel
public import StrataRecord

// Calculations in predicates: `$0.population + $0.visitors > 1_000`. The value of a calculation
// without a result is nil, for example of a division by zero.

/// The type of an attribute that a predicate can calculate with: a number or an optional number.
public protocol Calculable: AttributeValue {
  /// The number type without the optional. Constants beside the attribute have this type.
  associatedtype Operand: AttributeValue & Numeric = Self
  /// The type of the sum of many values: a 64-bit integer, a `Double` or a `Decimal`.
  associatedtype Sum: AttributeValue & Comparable & Numeric = Int
  /// The type of the average of many values: `Decimal` for decimals, `Double` for other numbers.
  associatedtype Average: AttributeValue & Comparable = Double
}

extension Int: Calculable {}

extension Int8: Calculable {}

extension Int16: Calculable {}

extension Int32: Calculable {}

extension Int64: Calculable {}

extension UInt: Calculable {
  public typealias Sum = UInt
}

extension UInt8: Calculable {
  public typealias Sum = UInt
}

extension UInt16: Calculable {
  public typealias Sum = UInt
}

extension UInt32: Calculable {
  public typealias Sum = UInt
}

extension UInt64: Calculable {
  public typealias Sum = UInt
}

extension Float: Calculable {
  public typealias Sum = Double
}

extension Double: Calculable {
  public typealias Sum = Double
}

extension Decimal: Calculable {
  public typealias Sum = Decimal
  public typealias Average = Decimal
}

extension Optional: Calculable where Wrapped: Calculable {
  public typealias Operand = Wrapped.Operand
  public typealias Sum = Wrapped.Sum
  public typealias Average = Wrapped.Average
}

extension PropertyPath where Leaf: Calculable {
  /// The sum of two values.
  public static func + (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .add, right.operand)
  }

  /// The sum of a value and a constant.
  public static func + (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .add, Constant(right.value))
  }

  /// The difference of two values.
  public static func - (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .subtract, right.operand)
  }

  /// The difference of a value and a constant.
  public static func - (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .subtract, Constant(right.value))
  }

  /// The product of two values.
  public static func * (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .multiply, right.operand)
  }

  /// The product of a value and a constant.
  public static func * (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .multiply, Constant(right.value))
  }

  /// The quotient of two values. Integer quotients are rounded towards zero. The value is nil if
  /// the divisor is 0.
  public static func / (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .divide, right.operand)
  }

  /// The quotient of a value and a constant. Integer quotients are rounded towards zero. The value
  /// is nil if the constant is 0.
  public static func / (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .divide, Constant(right.value))
  }

  /// The value raised to a power, as a floating-point number. Format strings: `**`.
  public func raised(to power: Double) -> PropertyPath<Root, Double?> {
    PropertyPath<Root, Double?>(
      calculated: ArithmeticNode(operand, .power, Constant(.double(power))))
  }

  private static func calculated(
    _ left: any OperandNode, _ operation: Number.Operator, _ right: any OperandNode
  ) -> Self {
    PropertyPath(calculated: ArithmeticNode(left, operation, right))
  }
}
