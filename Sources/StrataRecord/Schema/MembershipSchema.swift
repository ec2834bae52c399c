// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The description of changes that make an object a member of to-many relationships, or end its
/// membership. The record of the relationship's owner does not show them.
package struct MembershipSchema: Sendable {
  /// The relationships in question.
  package let relationships: Set<PropertyNumber>

  /// Empty if there are no relationships.
  private let byNumber: [EntityMemberships?]

  /// - Parameter entities: by number; nil where the model has none.
  init(of relationships: Set<PropertyNumber>, _ entities: [EntitySchema?]) {
    self.relationships = relationships
    // Most models have none.
    if relationships.isEmpty {
      byNumber = []
    } else {
      byNumber = entities.map { entity in
        entity.flatMap { EntityMemberships($0, in: relationships) }
      }
    }
  }

  /// How objects of an entity are members; nil if they are of none of the relationships.
  package subscript(number: EntityNumber) -> EntityMemberships? {
    byNumber.element(of: number)
  }
}

/// How objects of one entity are members of the relationships of a `MembershipSchema`.
package struct EntityMemberships: Sendable {
  /// The to-one slots whose target owns the relationship.
  package let slots: [(slot: Int, relationship: PropertyNumber)]
  /// The links that are kept beside the objects, and whose other direction is in question.
  package let ends: [(relationship: PropertyNumber, end: PropertyNumber)]

  fileprivate init?(_ entity: EntitySchema, in relationships: Set<PropertyNumber>) {
    let slots = entity.ends.targets.compactMap { target in
      target.inverse.map { (slot: target.slot, relationship: $0.number) }
    }.filter { relationships.contains($0.relationship) }
    let ends = entity.ends.links.compactMap { links in
      links.mirror.map { (relationship: links.number, end: $0) }
    }.filter { relationships.contains($0.end) }
    if slots.isEmpty && ends.isEmpty { return nil }
    self.slots = slots
    self.ends = ends
  }
}
