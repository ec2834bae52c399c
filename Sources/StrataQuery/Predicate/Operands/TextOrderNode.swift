// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Which of two folded texts comes first, as the raw value of a `ComparisonResult`: -1 for the left
/// one, 0 if they are equal, 1 for the right one; no value if one of them is none.
package struct TextOrderNode: OperandNode {
  let left: any OperandNode
  let right: any OperandNode
  let options: TextOptions

  package init(_ left: any OperandNode, _ right: any OperandNode, _ options: TextOptions) {
    self.left = left
    self.right = right
    self.options = options
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    TextOrder(
      left: try resolver.text(left), right: try resolver.text(right), options: options)
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    TextOrderNode(left.substituting(values), right.substituting(values), options)
  }
}

struct TextOrder: Operand {
  let left: any Operand
  let right: any Operand
  let options: TextOptions

  var kind: OperandKind? { .number }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    let left = options.folded(try left.value(of: row, reader))
    let right = options.folded(try right.value(of: row, reader))
    guard let order = ValueOrder.order(left, right) else { return .null }
    return .int(Int64(order.signum()))
  }

  var description: String { "order\(options)(\(left), \(right))" }
}
