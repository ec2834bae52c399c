// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataModel
public import StrataRecord

// `$0.population + $0.visitors > 1_000`. What has no result, as a quotient by zero, has no value.

/// An attribute's type with which a predicate can calculate: a number, or an optional one.
public protocol Calculable: AttributeValue {
  /// The number's type, which constants beside it have.
  associatedtype Operand: AttributeValue & Numeric
}

extension Int: Calculable { public typealias Operand = Int }
extension Int8: Calculable { public typealias Operand = Int8 }
extension Int16: Calculable { public typealias Operand = Int16 }
extension Int32: Calculable { public typealias Operand = Int32 }
extension Int64: Calculable { public typealias Operand = Int64 }
extension UInt: Calculable { public typealias Operand = UInt }
extension UInt8: Calculable { public typealias Operand = UInt8 }
extension UInt16: Calculable { public typealias Operand = UInt16 }
extension UInt32: Calculable { public typealias Operand = UInt32 }
extension UInt64: Calculable { public typealias Operand = UInt64 }
extension Float: Calculable { public typealias Operand = Float }
extension Double: Calculable { public typealias Operand = Double }
extension Decimal: Calculable { public typealias Operand = Decimal }
extension Optional: Calculable where Wrapped: Calculable {
  public typealias Operand = Wrapped.Operand
}

extension PropertyPath where Leaf: Calculable {
  /// The sum of two values.
  public static func + (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .add, right.operand)
  }

  /// The sum of a value and a constant.
  public static func + (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .add, ConstantNode(right.value))
  }

  /// The difference of two values.
  public static func - (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .subtract, right.operand)
  }

  /// The difference of a value and a constant.
  public static func - (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .subtract, ConstantNode(right.value))
  }

  /// The product of two values.
  public static func * (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .multiply, right.operand)
  }

  /// The product of a value and a constant.
  public static func * (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .multiply, ConstantNode(right.value))
  }

  /// The quotient of two values, of integers cut off towards zero; no value if the divisor is 0.
  public static func / (left: Self, right: PropertyPath<Root, Leaf>) -> Self {
    calculated(left.operand, .divide, right.operand)
  }

  /// The quotient of a value and a constant, of integers cut off towards zero; no value if the
  /// constant is 0.
  public static func / (left: Self, right: Leaf.Operand) -> Self {
    calculated(left.operand, .divide, ConstantNode(right.value))
  }

  /// The value raised to a power, as a floating-point number. In a format string: `**`.
  public func raised(to power: Double) -> PropertyPath<Root, Double?> {
    PropertyPath<Root, Double?>(
      calculated: ArithmeticNode(operand, .power, ConstantNode(.double(power))))
  }

  private static func calculated(
    _ left: any OperandNode, _ operation: Number.Operator, _ right: any OperandNode
  ) -> Self {
    PropertyPath(calculated: ArithmeticNode(left, operation, right))
  }
}
