// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// How many members a collection has. Core Data: `@count`.
package struct CountNode: OperandNode {
  let collection: CollectionNode

  package init(_ collection: CollectionNode) { self.collection = collection }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    CountOperand(collection: try collection.resolved(by: resolver))
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    CountNode(collection.substituting(values))
  }
}

struct CountOperand: Operand {
  let collection: ResolvedCollection

  var kind: OperandKind? { .number }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    .int(Int64(try collection.count(from: row, reader)))
  }

  var description: String { "\(collection).count" }
}
