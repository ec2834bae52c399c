// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// A path as an operand: the property that it leads to, or without steps the object itself.
package struct PathNode: OperandNode {
  let path: PathReference

  package init(_ path: PathReference) { self.path = path }

  package var isPath: Bool { true }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    switch try resolver.end(of: path) {
    case .property(let path): return PathOperand(path: path)
    case .object(let depth): return IdentityOperand(depth: depth)
    case .collection(let collection, _): throw collection.isUnfit
    }
  }
}

/// The value of a property.
package struct PathOperand: Operand {
  package let path: ResolvedPath

  package var kind: OperandKind? { OperandKind(path.kind) }
  package var property: ResolvedPath? { path }

  package func value(of row: Row, _ reader: RowReader) throws -> Value {
    try reader.value(path, of: row)
  }

  package var description: String { path.name }
}

/// The object itself. Core Data: SELF.
package struct IdentityOperand: Operand {
  let depth: Int

  package var kind: OperandKind? { .object }
  package var isIdentity: Bool { true }

  package func value(of row: Row, _ reader: RowReader) throws -> Value {
    .object(ObjectID(store: reader.store, key: reader.row(depth, outOf: row).key))
  }

  package var description: String { "self" }
}
