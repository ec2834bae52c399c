// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The relationship ends at objects of one entity, by the storage of the links, whichever side
/// declares them.
///
/// | relationship | its end here |
/// | --- | --- |
/// | to-one | a target |
/// | one-to-one | a target and a referrer |
/// | to-many whose inverse is to-one | a referrer; links without a mirror, if it is ordered |
/// | to-many whose inverse is to-many or absent | links |
/// | to-one or to-many of others, without inverse | a referrer, or links |
///
/// Delete rules use it in contexts, in compositions of nested contexts, in saves and in batches.
package struct RelationshipEnds: Sendable {
  /// A to-one slot of the object itself.
  package struct Target: Sendable {
    package let slot: Int
    package let inverse: RelationshipSchema.Inverse?
    /// The ordered relationship whose positions are kept with the target, if the inverse is one.
    package let positions: PropertyNumber?
    /// The slot of the target that leads back, if the inverse is to-one too.
    package let partner: Int?
    /// The effect of the object's deletion on the target.
    package let rule: DeleteRule
  }

  /// A to-one slot of others that leads to the object.
  package struct Referrer: Sendable {
    package let index: PropertyNumber
    package let slot: Int
    /// The slot of the object's relationship; nil if others declare it, without inverse.
    package let relationship: Int?
    /// Whether that is to-one too.
    package let isPartner: Bool
    /// The effect of the object's deletion on the others.
    package let rule: DeleteRule
  }

  /// Links of the object that are kept beside the objects.
  package struct Links: Sendable {
    package let number: PropertyNumber
    /// The other direction; nil for mere positions.
    package let mirror: PropertyNumber?
    /// The slot of the object's relationship; nil if others declare it, without inverse.
    package let relationship: Int?
    package let rule: DeleteRule
  }

  package private(set) var targets: [Target] = []
  /// The relationships of `targets`.
  package private(set) var targetSlots = SlotSet()
  /// The slots of one-to-one relationships, and their inverses.
  package private(set) var partnered: [(slot: Int, back: RelationshipSchema.Inverse)] = []
  /// The slots that delete rules do not leave alone.
  package private(set) var referrers: [Referrer] = []
  /// All slots of others that may lead to the object, whatever the rule: another context may make
  /// such a link after the object was deleted.
  package private(set) var allReferrers: [Referrer] = []
  package private(set) var links: [Links] = []

  init(_ relationships: [RelationshipSchema?], _ incoming: [IncomingRelationship]) {
    for case let relationship? in relationships { add(relationship) }
    for relationship in incoming {
      let number = relationship.number
      if case .links(_, let mirror) = relationship.storage {
        links.append(Links(number: mirror, mirror: number, relationship: nil, rule: .nullify))
      } else {
        add(
          Referrer(
            index: number, slot: relationship.slot, relationship: nil, isPartner: false,
            rule: .nullify))
      }
    }
  }

  private mutating func add(_ relationship: RelationshipSchema) {
    let (slot, rule) = (relationship.slot, relationship.deleteRule)
    switch relationship.storage {
    case .slot:
      let inverse = relationship.inverse
      let partner = inverse?.kind == .toOne ? inverse : nil
      targetSlots.insert(slot)
      targets.append(
        Target(
          slot: slot, inverse: inverse,
          positions: inverse?.kind == .orderedToMany ? inverse?.number : nil,
          partner: partner?.slot, rule: rule))
      guard let partner else { return }
      partnered.append((slot, partner))
      add(
        Referrer(
          index: partner.number, slot: partner.slot, relationship: slot, isPartner: true,
          rule: rule))
    case .inverseSlot(let index, let inverse):
      add(
        Referrer(index: index, slot: inverse, relationship: slot, isPartner: false, rule: rule))
      guard relationship.isOrdered else { return }
      links.append(
        Links(number: relationship.number, mirror: nil, relationship: slot, rule: .nullify))
    case .links(let number, let mirror):
      links.append(Links(number: number, mirror: mirror, relationship: slot, rule: rule))
    }
  }

  private mutating func add(_ referrer: Referrer) {
    allReferrers.append(referrer)
    if referrer.rule != .noAction { referrers.append(referrer) }
  }

  // MARK: - Relationships to examine

  /// Whether objects of the entity have no links and nothing leads to them.
  package var isEmpty: Bool { targets.isEmpty && referrers.isEmpty && links.isEmpty }

  /// Whether anything must be looked at when an object of the entity is deleted, before it goes.
  package var concernDeletion: Bool {
    !referrers.isEmpty || links.contains(where: \.mustBeKnown)
      || targets.contains(where: \.mustBeKnown)
  }

  /// Whether objects of the entity may have links or positions that go with them.
  package var haveEntries: Bool { !links.isEmpty || targets.contains { $0.positions != nil } }

  /// Whether any has this rule.
  package func have(_ rule: DeleteRule) -> Bool {
    targets.contains { $0.rule == rule } || referrers.contains { $0.rule == rule }
      || links.contains { $0.rule == rule }
  }
}

extension RelationshipEnds.Target {
  /// Whether a target that a deletion was unaware of prevents it. A partner is a `Referrer` too.
  package var mustBeKnown: Bool { partner == nil && rule.isAboutOthers }
}

extension RelationshipEnds.Links {
  /// Whether a link that a deletion was unaware of prevents it: any other is removed with the
  /// object.
  package var mustBeKnown: Bool { rule.isAboutOthers }
}

extension DeleteRule {
  /// Whether it is about the objects at the other end, and not only about their links.
  fileprivate var isAboutOthers: Bool { self == .cascade || self == .deny }
}
