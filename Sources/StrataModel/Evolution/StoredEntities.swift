// SPDX-License-Identifier: Apache-2.0

/// The entities of a store's model by name, and their hierarchy. There are no classes for it: the
/// store's outline describes it.
package struct StoredEntities: Sendable {
  package let byName: [String: ModelOutline.Entity]

  package init(_ outline: ModelOutline) {
    // A damaged outline may name an entity twice.
    byName = Dictionary(outline.entities.map { ($0.name, $0) }) { first, _ in first }
  }

  package subscript(_ name: String) -> ModelOutline.Entity? { byName[name] }

  /// An entity and those that it inherits from, itself first.
  package func lineage(of name: String) -> [ModelOutline.Entity] {
    var lineage: [ModelOutline.Entity] = []
    var next = byName[name]
    // A damaged outline may inherit in a circle.
    while let entity = next, lineage.count <= byName.count {
      lineage.append(entity)
      next = entity.superentity.flatMap { byName[$0] }
    }
    return lineage
  }

  /// The entities whose objects are objects of `name`, which is one of them, by name.
  package func heirs(of name: String) -> [String] {
    byName.keys.filter { heir in lineage(of: heir).contains { $0.name == name } }.sorted()
  }

  // MARK: - Properties

  /// Nil if there is no such property, or it is a relationship.
  func attribute(_ property: ModelEvolution.Property) -> ModelOutline.Attribute? {
    self[property.entity]?.attributes.first { $0.name == property.property }
  }

  /// Nil if there is no such property, or it is an attribute.
  func relationship(_ property: ModelEvolution.Property) -> ModelOutline.Relationship? {
    self[property.entity]?.relationships.first { $0.name == property.property }
  }

  func inverse(of relationship: ModelOutline.Relationship) -> ModelEvolution.Property? {
    guard let name = relationship.inverse, let dot = name.firstIndex(of: ".") else { return nil }
    return ModelEvolution.Property(
      entity: String(name[..<dot]), property: String(name[name.index(after: dot)...]))
  }

  /// Whether values are stored for a property.
  func hasData(_ property: ModelEvolution.Property) -> Bool {
    guard let relationship = relationship(property), relationship.kind != .toOne else {
      return true
    }
    return isStoredAsLinks(relationship)
  }

  /// Whether a relationship has links of its own. The members of a to-many relationship whose
  /// inverse is to-one are the inverse's values. An ordered one has their positions in links.
  package func isStoredAsLinks(_ relationship: ModelOutline.Relationship) -> Bool {
    guard relationship.kind != .toOne else { return false }
    return relationship.kind == .orderedToMany || inverseKind(of: relationship) != .toOne
  }

  package func inverseKind(
    of relationship: ModelOutline.Relationship
  ) -> RelationshipDescription.Kind? {
    inverse(of: relationship).flatMap { self.relationship($0)?.kind }
  }
}
