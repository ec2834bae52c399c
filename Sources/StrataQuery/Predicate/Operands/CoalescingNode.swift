// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `left ?? right`: the first value, or the second where there is none.
package struct CoalescingNode: OperandNode {
  let left: any OperandNode
  let right: any OperandNode

  package init(_ left: any OperandNode, _ right: any OperandNode) {
    self.left = left
    self.right = right
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let operand = CoalescingOperand(
      left: try left.resolved(by: resolver), right: try right.resolved(by: resolver))
    if let kind = operand.right.kind { try operand.left.requireKind(kind) }
    return operand
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    CoalescingNode(left.substituting(values), right.substituting(values))
  }
}

struct CoalescingOperand: Operand {
  let left: any Operand
  let right: any Operand

  var kind: OperandKind? { left.kind ?? right.kind }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    let value = try left.value(of: row, reader)
    return value == .null ? try right.value(of: row, reader) : value
  }

  var description: String { "(\(left) ?? \(right))" }
}
