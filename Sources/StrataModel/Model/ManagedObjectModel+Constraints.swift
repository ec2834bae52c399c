// SPDX-License-Identifier: Apache-2.0

// The checks of the constraints and indexes over several properties.

extension ManagedObjectModel {
  static func checkConstraints(of entity: EntityDescription) throws(ModelError) {
    var known = (entity.superentity?.lineage ?? []).flatMap(\.uniqueTogether).map(Set.init)
    for names in entity.uniqueTogether {
      let set = Set(names)
      guard names.count > 1, set.count == names.count, !known.contains(set) else {
        throw .unfitConstraint(entity: entity.name, properties: names)
      }
      known.append(set)
      try checkMembers(
        names, of: entity, unknown: ModelError.unknownConstraintProperty,
        toMany: ModelError.toManyConstraint)
    }
  }

  /// A constraint's index would be kept twice, and so would one over the same list.
  static func checkIndexes(of entity: EntityDescription) throws(ModelError) {
    var known = entity.uniqueTogether
    for ancestor in entity.superentity?.lineage ?? [] {
      known += ancestor.uniqueTogether + ancestor.indexes
    }
    for names in entity.indexes {
      guard names.count > 1, Set(names).count == names.count, !known.contains(names) else {
        throw .unfitIndex(entity: entity.name, properties: names)
      }
      known.append(names)
      try checkMembers(
        names, of: entity, unknown: ModelError.unknownIndexProperty, toMany: ModelError.toManyIndex)
    }
  }

  /// - Parameters:
  ///   - unknown: the error for a name that the entity does not have, made of its name and that.
  ///   - toMany: the one for a to-many relationship.
  private static func checkMembers(
    _ names: [String], of entity: EntityDescription, unknown: (String, String) -> ModelError,
    toMany: (String, String) -> ModelError
  ) throws(ModelError) {
    for name in names {
      guard let slot = entity.slot(named: name) else { throw unknown(entity.name, name) }
      if entity.properties[slot].relationship?.isToMany == true { throw toMany(entity.name, name) }
      if let attribute = entity.properties[slot].attribute {
        try checkIndexable(attribute, of: entity.name)
      }
    }
  }

  /// Checks that values of `attribute` can be indexed.
  static func checkIndexable(
    _ attribute: AttributeDescription, of entity: String
  ) throws(ModelError) {
    if attribute.isTransient {
      throw .indexedTransient(entity: entity, property: attribute.name)
    }
    if attribute.type == .codable {
      throw .unindexableType(entity: entity, property: attribute.name, type: attribute.type)
    }
    if attribute.isExternal { throw .unfitExternal(entity: entity, property: attribute.name) }
  }
}
