// SPDX-License-Identifier: Apache-2.0

/// The description of a store's content: entities with their attributes and relationships, checked
/// once for consistency. Immutable. Core Data: `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
  /// The entities, superentities before those that inherit from them.
  public let entities: [EntityDescription]

  private let entitiesByName: [String: EntityDescription]
  /// By the declaring entity's name, then by the property's.
  private let inverses: [String: [String: PropertyReference]]

  /// A property by the entity that declares it and its name.
  package struct PropertyReference: Sendable, Hashable {
    package let entity: String
    package let property: String

    package init(entity: String, property: String) {
      self.entity = entity
      self.property = property
    }
  }

  /// A model of `entities` and of those that they inherit from.
  ///
  /// - Throws: `ModelError`, which names the declaration that is wrong.
  public init(entities: [EntityDescription]) throws(ModelError) {
    var ordered: [EntityDescription] = []
    var byName: [String: EntityDescription] = [:]
    for entity in entities {
      for ancestor in entity.lineage.reversed() {
        if let known = byName[ancestor.name] {
          let isRepeated = ancestor === entity && entities.count(where: { $0 === entity }) > 1
          guard known === ancestor, !isRepeated else { throw .duplicateEntity(ancestor.name) }
          continue
        }
        byName[ancestor.name] = ancestor
        ordered.append(ancestor)
      }
    }
    // Constraints and indexes are numbered as properties are.
    let propertyCount = ordered.reduce(0) {
      $0 + $1.ownProperties.count + $1.uniqueTogether.count + $1.indexes.count
    }
    guard ordered.count <= 32_767, propertyCount <= 32_767,
      ordered.allSatisfy({ $0.properties.count <= 4_095 })
    else { throw .tooLarge }
    for entity in ordered {
      try Self.checkProperties(of: entity)
      try Self.checkConstraints(of: entity)
      try Self.checkIndexes(of: entity)
    }
    self.entities = ordered
    entitiesByName = byName
    inverses = try Self.inverses(of: ordered, byName: byName)
    for entity in ordered { try Self.checkDerivations(of: entity) }
  }

  /// The entity called `name`, or nil. Core Data: `entitiesByName`.
  public func entity(named name: String) -> EntityDescription? { entitiesByName[name] }

  /// The entity whose objects are of this very class, or nil.
  public func entity(for managedObjectClass: AnyClass) -> EntityDescription? {
    entities.first { $0.managedObjectClass == managedObjectClass }
  }

  /// The inverse of `relationship`, or nil if it has none.
  package func inverse(of relationship: PropertyReference) -> PropertyReference? {
    inverses[relationship.entity]?[relationship.property]
  }
}

extension EntityDescription {
  /// The entity and those that it inherits from, itself first.
  package var lineage: [EntityDescription] { [self] + (superentity?.lineage ?? []) }
}
