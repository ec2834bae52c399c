// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `left + right` and its kin, by the rules of `Number`.
package struct ArithmeticNode: OperandNode {
  let left: any OperandNode
  let operation: Number.Operator
  let right: any OperandNode

  package init(
    _ left: any OperandNode, _ operation: Number.Operator, _ right: any OperandNode
  ) {
    self.left = left
    self.operation = operation
    self.right = right
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let arithmetic = Arithmetic(
      left: try left.resolved(by: resolver), operation: operation,
      right: try right.resolved(by: resolver))
    for operand in [arithmetic.left, arithmetic.right] where operand.kind ?? .number != .number {
      throw .mismatchedOperands(left: "a number", right: operand.description)
    }
    if let left = arithmetic.left as? Constant, let right = arithmetic.right as? Constant {
      return Constant(arithmetic.result(left.value, right.value))
    }
    return arithmetic
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    ArithmeticNode(left.substituting(values), operation, right.substituting(values))
  }
}

/// The result of a calculation with two operands; no value if either has none.
struct Arithmetic: Operand {
  let left: any Operand
  let operation: Number.Operator
  let right: any Operand

  var kind: OperandKind? { .number }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    result(try left.value(of: row, reader), try right.value(of: row, reader))
  }

  func result(_ left: Value, _ right: Value) -> Value {
    guard let left = Number(left), let right = Number(right) else { return .null }
    return Number.calculate(left, operation, right)?.value ?? .null
  }

  var description: String { "(\(left) \(operation.rawValue) \(right))" }
}
