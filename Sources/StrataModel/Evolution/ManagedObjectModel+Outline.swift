// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ManagedObjectModel {
  /// The model that an outline describes, without the classes of its objects: to read a store whose
  /// program is not at hand. Defaults, rules, derivations and delete rules are not in an outline.
  ///
  /// - Parameters:
  ///   - managedObjectClass: the class of all entities.
  ///   - additions: former names and defaults, which an outline does not have.
  ///   - checksNames: false for a model of a store: earlier releases accepted any name.
  /// - Throws: `ModelError` if the outline, which is from the disk, makes no sense.
  package init(
    _ outline: ModelOutline, class managedObjectClass: AnyClass,
    adding additions: OutlineAdditions = OutlineAdditions(), checksNames: Bool = false
  ) throws(ModelError) {
    let propertyCount = outline.entities.reduce(0) {
      $0 + $1.attributes.count + $1.relationships.count
    }
    guard outline.entities.count <= Self.entityCountMax, propertyCount <= Self.propertyCountMax
    else { throw .tooLarge }
    let entities = EntityTable()
    var made: [String: EntityDescription] = [:]
    let outlines = Dictionary(outline.entities.map { ($0.name, $0) }) { first, _ in first }
    // Superentities first; an outline may inherit in a circle.
    func make(_ outline: ModelOutline.Entity, depth: Int) throws(ModelError) -> EntityDescription {
      if let known = made[outline.name] { return known }
      var superentity: EntityDescription?
      if let name = outline.superentity {
        guard let above = outlines[name], depth < outlines.count else {
          throw .unknownDestination(
            entity: outline.name, property: "superentity", destination: name)
        }
        guard depth < EntityDescription.levelsMax else {
          throw .tooManySuperentities(entity: outline.name)
        }
        superentity = try make(above, depth: depth + 1)
      }
      let entity = EntityDescription(
        outline.name, class: managedObjectClass, isAbstract: outline.isAbstract,
        superentity: superentity, hooks: [], uniqueTogether: outline.uniqueTogether ?? [],
        indexes: outline.indexes ?? [], originalName: additions.originalNames[outline.name],
        properties: outline.attributes.map {
          .attribute(AttributeDescription($0, of: outline.name, additions))
        }
          + outline.relationships.map {
            .relationship(
              RelationshipDescription($0, of: outline.name, in: entities, additions))
          })
      made[outline.name] = entity
      return entity
    }
    for entity in outline.entities { _ = try make(entity, depth: 0) }
    for entity in outline.entities {
      for relationship in entity.relationships where made[relationship.destination] == nil {
        throw .unknownDestination(
          entity: entity.name, property: relationship.name,
          destination: relationship.destination)
      }
    }
    entities.byName.storeIfNil(EntityTable.Entities(made))
    try self.init(entities: outline.entities.compactMap { made[$0.name] }, checksNames: checksNames)
  }
}

/// The parts of a model that its outline does not have and that a migration needs.
package struct OutlineAdditions: Sendable {
  /// The former names, by the present ones: of entities, and of properties as `Entity.property`.
  package var originalNames: [String: String] = [:]
  /// The defaults of attributes, by `Entity.attribute`.
  package var defaults: [String: PropertyValue] = [:]

  package init() {}
}

/// The entities of a model that is being made: relationships lead to them.
private final class EntityTable: Sendable {
  final class Entities: Sendable {
    let byName: [String: EntityDescription]
    init(_ byName: [String: EntityDescription]) { self.byName = byName }
  }

  let byName = SetOnce<Entities>()

  func entity(named name: String) -> EntityDescription {
    guard let entity = byName.load()?.byName[name] else {
      stopProgram("destinations are checked when the model is made")
    }
    return entity
  }
}

extension AttributeDescription {
  fileprivate init(
    _ outline: ModelOutline.Attribute, of entity: String, _ additions: OutlineAdditions
  ) {
    var options: Set<AttributeOption> = []
    if outline.isIndexed { options.insert(.indexed) }
    if outline.isUnique { options.insert(.unique) }
    if outline.isTransient { options.insert(.transient) }
    if outline.isExternal == true { options.insert(.external) }
    if outline.isFullText == true { options.insert(.fullText) }
    let name = "\(entity).\(outline.name)"
    // An outline has no defaults. No program reads its objects through properties.
    self.init(
      outline.name, type: outline.type, isOptional: outline.isOptional,
      defaultValue: additions.defaults[name] ?? .null, options: options,
      originalName: additions.originalNames[name], needsDefault: false)
  }
}

extension RelationshipDescription {
  fileprivate init(
    _ outline: ModelOutline.Relationship, of entity: String, in entities: EntityTable,
    _ additions: OutlineAdditions
  ) {
    let own = "\(entity).\(outline.name)"
    let isSymmetric = outline.inverse == own
    var inverse: Inverse?
    // An inverse is named on one side.
    if let other = outline.inverse, other > own, let dot = other.firstIndex(of: ".") {
      inverse = .name(String(other[other.index(after: dot)...]))
    }
    self.init(
      outline.name, kind: outline.kind,
      destination: { [destination = outline.destination] in entities.entity(named: destination) },
      inverse: inverse, options: isSymmetric ? [.symmetric] : [],
      originalName: additions.originalNames[own])
  }
}
