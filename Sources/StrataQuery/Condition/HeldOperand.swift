// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The value of an operand that an enclosing `HeldCondition` has evaluated for the object.
struct HeldOperand: Operand {
  fileprivate let operand: any Operand

  var kind: OperandKind? { operand.kind }

  func value(of row: Row, _ reader: RowReader) throws -> PropertyValue { reader.heldValue }

  var description: String { operand.description }
}

/// A condition of several comparisons with one calculated operand, which is evaluated once for each
/// object. The cost of operators inside of operators is therefore their sum and not their product.
struct HeldCondition: Condition {
  let operand: any Operand
  /// The condition, with a `HeldOperand` in the place of the operand.
  let condition: any Condition
  /// The name of the operator: "between".
  let name: String

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    try reader.holding(try operand.value(of: row, reader)) {
      try condition.isTrue(of: row, reader)
    }
  }

  /// The operand is described once: the descriptions of the comparisons would double with each
  /// operator inside of another.
  var description: String { "\(operand) \(name)" }
}

extension Operand {
  /// Returns the condition that `make` makes about this operand, which `make` may use several
  /// times. Only a calculated operand is held: reading a slot again is as fast, and the planner
  /// finds an index for each condition on a property.
  ///
  /// - Parameter name: the name of the operator.
  func evaluatedOnce(
    by name: String, _ make: (any Operand) throws(QueryError) -> any Condition
  ) throws(QueryError) -> any Condition {
    if property != nil || constant != nil || isIdentity { return try make(self) }
    return HeldCondition(
      operand: self, condition: try make(HeldOperand(operand: self)), name: name)
  }
}
