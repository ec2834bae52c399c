// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// The class of an entity's objects, in a predicate.
package struct EntityClass: Sendable {
  let identifier: ObjectIdentifier
  let name: String

  package init(_ type: AnyClass) {
    identifier = ObjectIdentifier(type)
    name = "\(type)"
  }
}

extension PathResolver {
  /// Returns the entity of a class.
  ///
  /// - Throws: `QueryError.unsupportedExpression` if the model has no entity with this class.
  func entity(of type: EntityClass) throws(QueryError) -> EntitySchema {
    guard let entity = schema.entity(forClass: type.identifier) else {
      throw .unsupportedExpression("\(type.name), which is not an entity of the model")
    }
    return entity
  }
}
