// SPDX-License-Identifier: Apache-2.0

/// The description of a store's content: entities with their attributes and relationships, checked
/// once for consistency. Immutable. Core Data: `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
  /// The entities, superentities before those that inherit from them.
  public let entities: [EntityDescription]

  private let entitiesByName: [String: EntityDescription]
  /// By the declaring entity's name, then by the property's.
  private let inverses: [String: [String: PropertyReference]]

  /// The maximum number of entities.
  package static let entityCountMax = 32_767
  /// The maximum number of properties, constraints and indexes of all entities together.
  static let propertyCountMax = 32_767
  /// The maximum number of properties of one entity, inherited ones included.
  static let entityPropertyCountMax = 4_095

  /// A property by the entity that declares it and its name.
  package struct PropertyReference: Sendable, Hashable {
    package let entity: String
    package let property: String

    package init(entity: String, property: String) {
      self.entity = entity
      self.property = property
    }

    /// - Parameter text: `Entity.property`.
    /// - Returns: nil if `text` is not two names that a point joins.
    package init?(parsing text: String) {
      let names = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
      guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else { return nil }
      self.init(entity: String(names[0]), property: String(names[1]))
    }
  }

  /// A model of `entities` and of those that they inherit from.
  ///
  /// - Throws: `ModelError`, which names the declaration that is wrong.
  public init(entities: [EntityDescription]) throws(ModelError) {
    try self.init(entities: entities, checksNames: true)
  }

  /// - Parameter checksNames: false for a model from the disk: earlier releases accepted any name.
  init(entities: [EntityDescription], checksNames: Bool) throws(ModelError) {
    // The counts come first: the other checks take time in them.
    guard entities.count <= Self.entityCountMax else { throw .tooLarge }
    var ordered: [EntityDescription] = []
    var byName: [String: EntityDescription] = [:]
    var listed: Set<String> = []
    for entity in entities {
      guard entity.levels <= EntityDescription.levelsMax else {
        throw .tooManySuperentities(entity: entity.name)
      }
      guard listed.insert(entity.name).inserted else { throw .duplicateEntity(entity.name) }
      for ancestor in entity.lineage.reversed() {
        if let known = byName[ancestor.name] {
          guard known === ancestor else { throw .duplicateEntity(ancestor.name) }
          continue
        }
        byName[ancestor.name] = ancestor
        ordered.append(ancestor)
      }
    }
    // Constraints and indexes are numbered as properties are.
    let propertyCount = ordered.reduce(0) {
      $0 + $1.ownProperties.count + $1.uniqueTogether.count + $1.indexes.count
        + $1.ownProperties.count { $0.attribute?.isFullText == true }
    }
    guard ordered.count <= Self.entityCountMax, propertyCount <= Self.propertyCountMax,
      ordered.allSatisfy({ $0.properties.count <= Self.entityPropertyCountMax })
    else { throw .tooLarge }
    for entity in ordered {
      if checksNames { try Self.checkNames(of: entity) }
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
