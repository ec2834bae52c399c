// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// A relationship as one store keeps it. Each relationship has one truth, `storage` says where.
package struct RelationshipSchema: Sendable {
  /// The storage of a relationship's links.
  package enum Storage: Sendable, Hashable {
    /// To-one: the slot of the owner's own record.
    case slot
    /// To-many whose inverse is to-one: the members' to-one slots, found through their index.
    case inverseSlot(index: PropertyNumber, slot: Int)
    /// To-many whose inverse is to-many or absent: entries (links, owner, target), mirrored as
    /// (mirror, target, owner).
    case links(PropertyNumber, mirror: PropertyNumber)
  }

  /// The other side of a relationship.
  package struct Inverse: Sendable, Hashable {
    package let number: PropertyNumber
    /// The slot in the destination and all that inherit from it.
    package let slot: Int
    package let kind: RelationshipDescription.Kind
  }

  package let number: PropertyNumber
  package let name: String
  /// The slot in the entity that this schema belongs to.
  package let slot: Int
  package let kind: RelationshipDescription.Kind
  package let isSymmetric: Bool
  package let deleteRule: DeleteRule
  /// The entity that the targets are of, or inherit from.
  package let destination: EntityNumber
  package let inverse: Inverse?
  package let storage: Storage

  /// The step from an object at the other end back to the owner.
  package var stepBack: RelationshipStep {
    switch storage {
    case .slot: .referrers(index: number, slot: slot)
    case .inverseSlot(_, let slot): .target(slot: slot)
    case .links(_, let mirror): .linked(mirror)
    }
  }

  package var isToMany: Bool { kind != .toOne }
  package var isOrdered: Bool { kind == .orderedToMany }
  /// Whether the members' to-one slots are the truth, and links are mere positions.
  package var isOfSlots: Bool { isToMany && inverse?.kind == .toOne }
}

/// A step from an object over a relationship to the objects at the other end.
package enum RelationshipStep: Sendable, Hashable {
  /// To the target of a to-one slot.
  case target(slot: Int)
  /// To the objects at the other end of links.
  case linked(PropertyNumber)
  /// To the objects with a to-one slot that leads to the object.
  case referrers(index: PropertyNumber, slot: Int)
}

/// A to-one or to-many relationship without an inverse, seen from its destination: the possible
/// links to an object that is being deleted.
package struct IncomingRelationship: Sendable {
  /// An entity whose objects hold the links; those that inherit from it do too.
  package let owner: EntityNumber
  package let number: PropertyNumber
  package let slot: Int
  package let storage: RelationshipSchema.Storage
}
