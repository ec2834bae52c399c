// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Looks whether the links of the state after the save have both their ends, and has the merge
/// policy decide where they do not.
///
/// ## Isolation
/// The writer thread.
struct LinkCheck {
  let state: StateAfterSave
  /// The violations that are not resolved yet.
  var violations: [LinkViolation] = []
  /// Violations in which a delete rule denies: they may be gone when all is decided.
  var denied: [LinkViolation] = []
  var danglingLinks: [StoreError.DanglingLink] = []
  var mistakes: [MergePolicy.Mistake] = []

  init(_ state: StateAfterSave) { self.state = state }

  // MARK: - Finding

  /// Looks through all that the save writes.
  mutating func findViolations() throws {
    for section in state.plan.sections {
      let ends = section.entity.ends
      if ends.isEmpty { continue }
      let looksAtDeleted = ends.concernDeletion
      for place in section.items.indices
      where section.items[place].new == nil
        ? looksAtDeleted
        : !section.items[place].differing.isDisjoint(with: ends.targetSlots)
      {
        try findViolations(of: section.items[place], section.entity)
      }
    }
    // The plan leaves out those without ends, once it is known that there are any.
    if state.dropsLinks { return }
    for (place, links) in state.plan.links.byPlace where !state.isGoneByMerge(place.owner) {
      if state.holdsPositions(place) { continue }
      for case (let target, .present) in links where !state.isGoneByMerge(target) {
        if try state.exists(target) { continue }
        violations.append(.lostLink(place, target: target))
      }
    }
  }

  /// Checks one object that the save writes or deletes.
  ///
  /// - Parameter isRevised: whether a conflict has changed the object. Its targets may then have
  ///   changed too, even if its own slots did not.
  mutating func findViolations(
    of item: SavePlan.Item, _ entity: EntitySchema, isRevised: Bool = false
  ) throws {
    guard let new = item.new else {
      return try findViolations(ofDeleted: item, entity, isRevised)
    }
    for target in entity.ends.targets where isRevised || item.differing.contains(target.slot) {
      let key = new.toOne(at: target.slot, layout: entity.layout)
      if key == nil && target.partner == nil { continue }
      let former = item.old?.toOne(at: target.slot, layout: entity.layout)
      if let key, try !state.exists(key) {
        if key != former {
          violations.append(.lostTarget(owner: item.key, target, target: key))
        } else if let referrer = referrer(to: key, entity.numbers[target.slot]) {
          // An object that stays after all keeps its targets, if the policy agrees.
          violations.append(.referrer(owner: item.key, referrer, deleted: key))
        }
      }
      guard let partner = target.partner else { continue }
      if let key, try state.partner(of: key, at: partner) != item.key, try state.exists(key) {
        violations.append(
          .halfLink(owner: item.key, slot: target.slot, target: key, partner: partner))
      }
      if let former, former != key, try state.partner(of: former, at: partner) == item.key {
        violations.append(
          .halfLink(owner: former, slot: partner, target: item.key, partner: target.slot))
      }
    }
  }

  /// Finds the links to a deleted object that the save was unaware of: they prevent the deletion,
  /// unless they are members of a set, which are removed with it.
  private mutating func findViolations(
    ofDeleted item: SavePlan.Item, _ entity: EntitySchema, _ isRevised: Bool
  ) throws {
    for referrer in entity.ends.referrers {
      var owners = try state.referrers(
        to: item.key, index: referrer.index, slot: referrer.slot)
      // The save has not seen this deletion and may have linked to the object itself.
      if isRevised { owners += try pendingReferrers(to: item.key, referrer, besides: owners) }
      for owner in owners {
        violations.append(.referrer(owner: owner, referrer, deleted: item.key))
      }
    }
    for links in entity.ends.links where links.mustBeKnown {
      let place = LinkPlace(links.number, item.key)
      let known = state.save.links.at(place)
      for target in try state.view.targets(at: place) where known[target] == nil {
        if try !state.exists(target) { continue }
        if let mirror = links.mirror,
          try state.view.link(at: LinkPlace(mirror, target), to: item.key) == nil
        {
          throw StoreError.damagedLink(of: item.key, to: target)
        }
        violations.append(.member(of: item.key, links.relationship, links.rule, target: target))
      }
    }
    for target in entity.ends.targets where target.mustBeKnown {
      let seen = state.save.changes[item.key]?.base?.record
      guard let key = item.old?.toOne(at: target.slot, layout: entity.layout),
        seen?.toOne(at: target.slot, layout: entity.layout) != key, try state.exists(key)
      else { continue }
      violations.append(.member(of: item.key, target.slot, target.rule, target: key))
    }
  }

  /// How a to-one slot leads to objects of the entity of `key`; nil if it may dangle.
  private func referrer(
    to key: ObjectKey, _ number: PropertyNumber
  ) -> RelationshipEnds.Referrer? {
    state.schema.entity(key.entity)?.ends.referrers.first { $0.index == number }
  }

  /// The objects of the save whose slot leads to `key`.
  private func pendingReferrers(
    to key: ObjectKey, _ referrer: RelationshipEnds.Referrer, besides found: [ObjectKey]
  ) throws -> [ObjectKey] {
    try Overlay(state.save.segments).referrers(to: key, index: referrer.index).filter {
      try !found.contains($0) && state.target(of: $0, at: referrer.slot) == key
    }
  }
}
