// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// `$0 is Employee`: whether an object belongs to an entity or to one of its subentities.
struct KindNode: PredicateNode {
  let object: any OperandNode
  let type: EntityClass

  var extent: TreeExtent { object.extent.enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let object = try object.resolved(by: resolver)
    try object.requireKind(.object)
    let entity = try resolver.entity(of: type)
    let family = Set(entity.family)
    return Question("\(object) is \(entity.description.name)") { row, reader in
      guard case .object(let id) = try object.value(of: row, reader) else { return false }
      return family.contains(id.key.entity)
    }
  }
}
