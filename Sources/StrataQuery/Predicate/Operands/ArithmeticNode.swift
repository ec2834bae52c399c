// SPDX-License-Identifier: Apache-2.0

/// `left + right` and the other arithmetic operators, by the rules of `Number`; nil if either
/// operand is nil.
struct ArithmeticNode: OperandNode {
  let left: any OperandNode
  let operation: Number.Operator
  let right: any OperandNode
  let extent: TreeExtent

  init(_ left: any OperandNode, _ operation: Number.Operator, _ right: any OperandNode) {
    self.left = left
    self.operation = operation
    self.right = right
    extent = left.extent.beside(right.extent).enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let (left, right) = (try left.resolved(by: resolver), try right.resolved(by: resolver))
    for operand in [left, right] where operand.kind ?? .number != .number {
      throw .mismatchedOperands(left: "a number", right: operand.description)
    }
    if let one = left.constant, let two = right.constant {
      return Constant(Number.calculate(one.value, operation, two.value))
    }
    return Calculation(.number, "(\(left) \(operation.rawValue) \(right))") {
      [operation] row, reader in
      Number.calculate(
        try left.value(of: row, reader), operation, try right.value(of: row, reader))
    }
  }
}
