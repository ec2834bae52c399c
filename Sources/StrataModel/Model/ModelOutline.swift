// SPDX-License-Identifier: Apache-2.0

/// The part of a model that determines the storage of its data, as plain values. A store keeps its
/// model in this form. Two models with equal outlines can open the same store.
///
/// Entities and properties are sorted by name, so the order of declaration does not matter;
/// classes, defaults and delete rules are left out: programs may change them. Core Data: version
/// hashes.
package struct ModelOutline: Codable, Sendable, Hashable {
  package var entities: [Entity]

  package struct Entity: Codable, Sendable, Hashable {
    package var name: String
    package var superentity: String?
    package var isAbstract: Bool
    package var attributes: [Attribute]
    package var relationships: [Relationship]
    /// The uniqueness constraints: sorted lists of property names; nil for none.
    package var uniqueTogether: [[String]]?
    /// The indexes over several properties: sorted lists of property names; nil for none.
    package var indexes: [[String]]?

    package init(
      name: String, superentity: String?, isAbstract: Bool, attributes: [Attribute],
      relationships: [Relationship], uniqueTogether: [[String]]?, indexes: [[String]]?
    ) {
      self.name = name
      self.superentity = superentity
      self.isAbstract = isAbstract
      self.attributes = attributes
      self.relationships = relationships
      self.uniqueTogether = uniqueTogether
      self.indexes = indexes
    }
  }

  package struct Attribute: Codable, Sendable, Hashable {
    package var name: String
    package var type: AttributeType
    package var isOptional: Bool
    package var isUnique: Bool
    package var isIndexed: Bool
    package var isTransient: Bool
    /// Whether the bytes are stored beside the object; nil for false.
    package var isExternal: Bool?
    /// Whether the words have an index; nil for false.
    package var isFullText: Bool?

    package init(
      name: String, type: AttributeType, isOptional: Bool, isUnique: Bool, isIndexed: Bool,
      isTransient: Bool, isExternal: Bool?, isFullText: Bool?
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.isUnique = isUnique
      self.isIndexed = isIndexed
      self.isTransient = isTransient
      self.isExternal = isExternal
      self.isFullText = isFullText
    }
  }

  package struct Relationship: Codable, Sendable, Hashable {
    package var name: String
    package var kind: RelationshipDescription.Kind
    package var destination: String
    package var inverse: String?

    package init(
      name: String, kind: RelationshipDescription.Kind, destination: String, inverse: String?
    ) {
      self.name = name
      self.kind = kind
      self.destination = destination
      self.inverse = inverse
    }
  }

  package init(entities: [Entity]) { self.entities = entities }

  /// Whether the words of an attribute have an index.
  package var hasFullText: Bool {
    entities.contains { $0.attributes.contains { $0.isFullText == true } }
  }

  package init(_ model: ManagedObjectModel) {
    entities = model.entities.map { Entity($0, in: model) }.sorted { $0.name < $1.name }
  }
}

extension ModelOutline.Entity {
  fileprivate init(_ entity: EntityDescription, in model: ManagedObjectModel) {
    name = entity.name
    superentity = entity.superentity?.name
    isAbstract = entity.isAbstract
    attributes = entity.ownProperties.compactMap(\.attribute).map {
      ModelOutline.Attribute(
        name: $0.name, type: $0.type, isOptional: $0.isOptional, isUnique: $0.isUnique,
        isIndexed: $0.isIndexed, isTransient: $0.isTransient,
        isExternal: $0.isExternal ? true : nil, isFullText: $0.isFullText ? true : nil)
    }.sorted { $0.name < $1.name }
    relationships = entity.ownProperties.compactMap(\.relationship).map { relationship in
      let side = ManagedObjectModel.PropertyReference(
        entity: entity.name, property: relationship.name)
      return ModelOutline.Relationship(
        name: relationship.name, kind: relationship.kind,
        destination: relationship.destination().name,
        inverse: model.inverse(of: side).map { "\($0.entity).\($0.property)" })
    }.sorted { $0.name < $1.name }
    uniqueTogether = Self.sorted(entity.uniqueTogether)
    indexes = Self.sorted(entity.indexes)
  }

  private static func sorted(_ lists: [[String]]) -> [[String]]? {
    lists.isEmpty ? nil : lists.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
