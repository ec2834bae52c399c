// SPDX-License-Identifier: Apache-2.0

// What must hold of the constraints over several properties.

extension ManagedObjectModel {
  static func checkConstraints(of entity: EntityDescription) throws(ModelError) {
    var known = (entity.superentity?.lineage ?? []).flatMap(\.uniqueTogether).map(Set.init)
    for names in entity.uniqueTogether {
      let set = Set(names)
      guard names.count > 1, set.count == names.count, !known.contains(set) else {
        throw .unfitConstraint(entity: entity.name, properties: names)
      }
      known.append(set)
      for name in names { try checkMember(name, of: entity) }
    }
  }

  private static func checkMember(
    _ name: String, of entity: EntityDescription
  ) throws(ModelError) {
    guard let slot = entity.slot(named: name) else {
      throw .unknownConstraintProperty(entity: entity.name, property: name)
    }
    switch entity.properties[slot] {
    case .attribute(let attribute) where attribute.isTransient:
      throw .indexedTransient(entity: entity.name, attribute: name)
    case .attribute(let attribute) where attribute.type == .codable:
      throw .unindexableType(entity: entity.name, attribute: name, type: attribute.type)
    case .relationship(let relationship) where relationship.isToMany:
      throw .toManyConstraint(entity: entity.name, relationship: name)
    case .attribute, .relationship: break
    }
  }
}
