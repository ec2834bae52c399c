// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// What a save must look at in the relationships of one entity, worked out once when the store is
/// opened.
struct LinkDuties: Sendable {
  /// A to-one relationship of the entity.
  struct Target: Sendable {
    let slot: Int
    let name: String
    /// The ordered relationship whose positions lie with the target, if the inverse is one.
    let positions: PropertyNumber?
    /// The slot of the target that leads back, if the inverse is to-one too.
    let partner: Int?
    /// What the deletion of the owner does to the target, if `partner` is nil: a partner is a
    /// `Referrer`.
    let rule: DeleteRule

    /// Whether a target that the deleting save did not know stands in the way of the deletion.
    var mustBeKnown: Bool { partner == nil && (rule == .cascade || rule == .deny) }
  }

  /// A to-one relationship that may lead to objects of the entity, and must not once they are
  /// deleted.
  struct Referrer: Sendable {
    let index: PropertyNumber
    let slot: Int
    let name: String
    /// What the deletion does to the referring object.
    let rule: DeleteRule
  }

  /// Links of the entity's objects, in one direction.
  struct Links: Sendable {
    let number: PropertyNumber
    /// The other direction; nil for mere positions.
    let mirror: PropertyNumber?
    let name: String
    let rule: DeleteRule

    /// Whether a link that the deleting save did not know stands in the way of the deletion:
    /// otherwise it goes with the object.
    var mustBeKnown: Bool { rule == .cascade || rule == .deny }
  }

  private(set) var targets: [Target] = []
  /// Those of `targets`.
  private(set) var targetSlots = SlotSet()
  private(set) var referrers: [Referrer] = []
  private(set) var links: [Links] = []

  /// Whether objects of the entity have no links and nothing leads to them.
  var isEmpty: Bool { targets.isEmpty && referrers.isEmpty && links.isEmpty }

  /// Whether anything must be looked at when an object of the entity is deleted, before it goes.
  var concernsDeletion: Bool {
    !referrers.isEmpty || links.contains(where: \.mustBeKnown)
      || targets.contains(where: \.mustBeKnown)
  }

  /// Whether objects of the entity may have links or positions that go with them.
  var hasEntries: Bool { !links.isEmpty || targets.contains { $0.positions != nil } }

  /// By entity number.
  static func all(_ schema: Schema) -> [LinkDuties] {
    var all = [LinkDuties](repeating: LinkDuties(), count: Int(schema.numbers.lastEntity) + 1)
    for entity in schema.entities {
      all[Int(entity.number.rawValue)] = LinkDuties(of: entity, schema)
    }
    return all
  }

  private init() {}

  private init(of entity: EntitySchema, _ schema: Schema) {
    for case let relationship? in entity.relationships { add(relationship, schema) }
    for incoming in entity.incoming {
      let name =
        schema.entity(incoming.owner)?.description.properties[incoming.slot].name ?? "a link"
      switch incoming.storage {
      case .slot:
        referrers.append(
          Referrer(
            index: incoming.number, slot: incoming.slot, name: name, rule: .nullify))
      case .links(let number, let mirror):
        links.append(Links(number: mirror, mirror: number, name: name, rule: .nullify))
      case .inverseSlot: continue
      }
    }
  }

  private mutating func add(_ relationship: RelationshipSchema, _ schema: Schema) {
    let leavesDangling = relationship.deleteRule == .noAction
    switch relationship.storage {
    case .slot:
      let inverse = relationship.inverse
      targetSlots.insert(relationship.slot)
      targets.append(
        Target(
          slot: relationship.slot, name: relationship.name,
          positions: inverse?.kind == .orderedToMany ? inverse?.number : nil,
          partner: inverse?.kind == .toOne ? inverse?.slot : nil, rule: relationship.deleteRule))
      guard let inverse, inverse.kind == .toOne, !leavesDangling else { return }
      referrers.append(
        Referrer(
          index: inverse.number, slot: inverse.slot,
          name: Self.name(ofSlot: inverse.slot, in: relationship.destination, schema),
          rule: relationship.deleteRule))
    case .inverseSlot(let index, let slot):
      if relationship.isOrdered {
        links.append(
          Links(
            number: relationship.number, mirror: nil, name: relationship.name, rule: .nullify))
      }
      if leavesDangling { return }
      referrers.append(
        Referrer(
          index: index, slot: slot,
          name: Self.name(ofSlot: slot, in: relationship.destination, schema),
          rule: relationship.deleteRule))
    case .links(let number, let mirror):
      links.append(
        Links(
          number: number, mirror: mirror, name: relationship.name,
          rule: relationship.deleteRule))
    }
  }

  private static func name(
    ofSlot slot: Int, in entity: EntityNumber, _ schema: Schema
  ) -> String {
    schema.entity(entity)?.description.properties[slot].name ?? "a link"
  }
}
