// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// How many characters a text has, as `String.count`: what one sees as one letter is one.
package struct TextLengthNode: OperandNode {
  let text: any OperandNode

  package init(_ text: any OperandNode) { self.text = text }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    TextLength(text: try resolver.text(text))
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    TextLengthNode(text.substituting(values))
  }
}

struct TextLength: Operand {
  let text: any Operand

  var kind: OperandKind? { .number }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    guard case .string(let text) = try text.value(of: row, reader) else { return .null }
    return .int(Int64(text.count))
  }

  var description: String { "\(text).count" }
}
