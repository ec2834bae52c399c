// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// `$0 is Employee`: whether an object is of an entity, or of one that inherits from it.
package struct KindNode: PredicateNode {
  let object: any OperandNode
  let type: EntityClass

  package init(_ object: any OperandNode, _ type: EntityClass) {
    self.object = object
    self.type = type
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let object = try object.resolved(by: resolver)
    try object.requireKind(.object)
    let entity = try resolver.entity(of: type)
    return KindCondition(
      object: object, family: Set(entity.family), name: entity.description.name)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    KindNode(object.substituting(values), type)
  }
}

struct KindCondition: Condition {
  let object: any Operand
  let family: Set<EntityNumber>
  let name: String

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    guard case .object(let id) = try object.value(of: row, reader) else { return false }
    return family.contains(id.key.entity)
  }

  var description: String { "\(object) is \(name)" }
}
