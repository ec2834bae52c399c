// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Whether a condition holds, as a value: the left side of `($0.age > 18) == $0.isAdult`.
package struct TruthNode: OperandNode {
  let predicate: any PredicateNode

  package init(_ predicate: any PredicateNode) { self.predicate = predicate }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    TruthOperand(condition: try predicate.resolved(by: resolver))
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    TruthNode(predicate.substituting(values))
  }
}

struct TruthOperand: Operand {
  let condition: any Condition

  var kind: OperandKind? { .truth }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    .bool(try condition.isTrue(of: row, reader))
  }

  var description: String { "(\(condition))" }
}
