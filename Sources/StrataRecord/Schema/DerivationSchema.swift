// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The derived attributes of a model, and from which changes their objects are found: worked out
/// once, so that a model that has none costs a save one look.
package struct DerivationSchema: Sendable {
  package let isEmpty: Bool
  /// How the members of relationships are found that are counted or summed over.
  package let memberships: MembershipSchema

  private let byNumber: [EntityDerivations?]

  /// - Parameter entities: by number; nil where the model has none.
  init(_ entities: [EntitySchema?]) {
    let known = entities.compactMap { $0 }
    var derived: [EntityNumber: [DerivedAttribute]] = [:]
    var dependents: [EntityNumber: [EntityDerivations.Dependent]] = [:]
    var aggregated: Set<PropertyNumber> = []
    for entity in known where !entity.description.isAbstract {
      for (slot, property) in entity.description.properties.enumerated() {
        guard let attribute = property.attribute,
          let source = entity.description.derivation(of: attribute)
        else { continue }
        derived[entity.number, default: []].append(DerivedAttribute(slot: slot, source: source))
        for (number, dependent) in Self.dependents(on: source, of: slot, entity, entities) {
          let isKnown = dependents[number]?.contains(dependent) ?? false
          if !isKnown { dependents[number, default: []].append(dependent) }
        }
        switch source {
        case .count(let slot), .sum(let slot, of: _):
          if let relationship = entity.relationships[slot] {
            aggregated.insert(relationship.number)
          }
        case .text, .path, .now: continue
        }
      }
    }
    byNumber = entities.map { entity in
      guard let number = entity?.number else { return nil }
      let (own, others) = (derived[number] ?? [], dependents[number] ?? [])
      return own.isEmpty && others.isEmpty
        ? nil : EntityDerivations(derived: own, dependents: others)
    }
    memberships = MembershipSchema(of: aggregated, entities)
    isEmpty = derived.isEmpty
  }

  /// The derivations in and from objects of an entity; nil if there are none.
  package subscript(number: EntityNumber) -> EntityDerivations? {
    byNumber.element(of: number)
  }

  /// The entities whose objects' slots the derived attribute depends on, other than its own
  /// object's.
  private static func dependents(
    on source: ResolvedDerivation, of slot: Int, _ entity: EntitySchema,
    _ entities: [EntitySchema?]
  ) -> [(EntityNumber, EntityDerivations.Dependent)] {
    switch source {
    case .text, .count, .now: return []
    case .sum(let relationshipSlot, let memberSlot):
      guard let relationship = entity.relationships[relationshipSlot],
        let members = entities[Int(relationship.destination.rawValue)]
      else { return [] }
      let dependent = EntityDerivations.Dependent(
        slot: memberSlot, way: [relationship.stepBack], derived: slot, mayDangle: false)
      return members.family.map { ($0, dependent) }
    case .path(let steps, let attribute):
      var found: [(EntityNumber, EntityDerivations.Dependent)] = []
      var way: [RelationshipStep] = []
      var current = entity
      for (index, step) in steps.enumerated() {
        guard let relationship = current.relationships[step],
          let next = entities[Int(relationship.destination.rawValue)]
        else { break }
        way.insert(relationship.stepBack, at: 0)
        let source = index + 1 < steps.count ? steps[index + 1] : attribute
        let inverse = relationship.inverse.flatMap { next.relationships[$0.slot] }
        let dependent = EntityDerivations.Dependent(
          slot: source, way: way, derived: slot, mayDangle: inverse?.deleteRule == .noAction)
        found += next.family.map { ($0, dependent) }
        current = next
      }
      return found
    }
  }
}

/// An attribute whose value is derived from others.
package struct DerivedAttribute: Sendable {
  package let slot: Int
  package let source: ResolvedDerivation
}

/// The derivations in the objects of one entity, and in other objects from them.
package struct EntityDerivations: Sendable {
  package let derived: [DerivedAttribute]
  package let dependents: [Dependent]
  /// The slots of `derived`.
  package let slots: SlotSet
  /// The derivations among them that depend on other objects.
  package let reaching: SlotSet

  init(derived: [DerivedAttribute], dependents: [Dependent]) {
    self.derived = derived
    self.dependents = dependents
    slots = derived.reduce(into: SlotSet()) { $0.insert($1.slot) }
    reaching = derived.reduce(into: SlotSet()) { slots, attribute in
      switch attribute.source {
      case .path, .count, .sum: slots.insert(attribute.slot)
      case .text, .now: break
      }
    }
  }

  /// A slot of this entity's objects on which an attribute of other objects depends.
  package struct Dependent: Sendable, Hashable {
    package let slot: Int
    /// The way to those objects.
    package let way: [RelationshipStep]
    /// The slot of the attribute there.
    package let derived: Int
    /// Whether the first step may lead from an object that is not there: a link that a delete rule
    /// without action has left behind.
    package let mayDangle: Bool
  }
}
