// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// The value of a property.
package struct PathOperand: Operand {
  package let path: ResolvedPath

  package var kind: OperandKind? { OperandKind(path.kind) }
  package var property: ResolvedPath? { path }

  package func value(of row: Row, _ reader: RowReader) throws -> PropertyValue {
    try reader.value(path, of: row)
  }

  package var description: String { path.name }
}

/// The object itself. Core Data: SELF.
package struct IdentityOperand: Operand {
  let depth: Int

  package var kind: OperandKind? { .object }
  package var isIdentity: Bool { true }

  package func value(of row: Row, _ reader: RowReader) throws -> PropertyValue {
    .object(ObjectID(store: reader.store, key: reader.row(depth, outOf: row).key))
  }

  package var description: String { "self" }
}
