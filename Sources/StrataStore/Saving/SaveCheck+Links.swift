// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Whether the links of the state after the save have both their ends: what is looked for. What is
// done about a breach is in SaveCheck+LinkConflicts.

extension SaveCheck {
  /// Looks through all that the save writes.
  mutating func findBreaches() throws {
    for section in plan.sections {
      let duty = duties[Int(section.entity.number.rawValue)]
      if duty.isEmpty { continue }
      let looksAtDeleted = duty.concernsDeletion
      for place in section.items.indices
      where section.items[place].new == nil
        ? looksAtDeleted
        : !section.items[place].differing.isDisjoint(with: duty.targetSlots)
      {
        try findBreaches(of: section.items[place], section.entity, duty)
      }
    }
    // The plan leaves out those without ends, once it is known that there are any.
    if dropsLinks { return }
    for (place, links) in plan.links.byPlace where !isGoneByMerge(place.owner) {
      if holdsPositions(place) { continue }
      for case (let target, .present) in links where !isGoneByMerge(target) {
        if try exists(target) { continue }
        breaches.append(.lostLink(place, target: target))
      }
    }
  }

  /// Looks at one object that the save writes or deletes.
  ///
  /// - Parameter isRevised: whether a conflict has made it what it is: then what it leads to may be
  ///   something else too, though its own slots are as they were.
  mutating func findBreaches(
    of item: SavePlan.Item, _ entity: EntitySchema, _ duty: LinkDuties, isRevised: Bool = false
  ) throws {
    guard let new = item.new else {
      return try findBreaches(ofDeleted: item, entity, duty, isRevised)
    }
    for target in duty.targets where isRevised || item.differing.contains(target.slot) {
      let key = new.toOne(at: target.slot, layout: entity.layout)
      if key == nil && target.partner == nil { continue }
      let former = item.old?.toOne(at: target.slot, layout: entity.layout)
      if let key, try !exists(key) {
        if key != former {
          breaches.append(.lostTarget(owner: item.key, target, target: key))
        } else if let referrer = referrer(to: key, entity.numbers[target.slot]) {
          // What stays after all keeps what it leads to, if the policy likes.
          breaches.append(.referrer(owner: item.key, referrer, deleted: key))
        }
      }
      guard let partner = target.partner else { continue }
      if let key, try self.partner(of: key, at: partner) != item.key, try exists(key) {
        breaches.append(
          .halfLink(owner: item.key, slot: target.slot, target: key, partner: partner))
      }
      if let former, former != key, try self.partner(of: former, at: partner) == item.key {
        breaches.append(
          .halfLink(owner: former, slot: partner, target: item.key, partner: target.slot))
      }
    }
  }

  /// Links to a deleted object that the save does not know stand in its way, unless they are members
  /// of a set: those go with it.
  private mutating func findBreaches(
    ofDeleted item: SavePlan.Item, _ entity: EntitySchema, _ duty: LinkDuties, _ isRevised: Bool
  ) throws {
    for referrer in duty.referrers {
      var owners = try referrers(to: item.key, referrer)
      // The save has not seen this deletion and may have linked to the object itself.
      if isRevised { owners += try pendingReferrers(to: item.key, referrer, besides: owners) }
      for owner in owners {
        breaches.append(.referrer(owner: owner, referrer, deleted: item.key))
      }
    }
    for links in duty.links where links.mustBeKnown {
      let place = LinkPlace(links.number, item.key)
      let known = save.links.at(place)
      for target in try storedTargets(at: place) where known[target] == nil {
        if try !exists(target) { continue }
        if let mirror = links.mirror,
          try view.link(at: LinkPlace(mirror, target), to: item.key) == nil
        {
          throw StoreError.damagedLink(of: item.key, to: target)
        }
        breaches.append(.member(of: item.key, links.name, links.rule, target: target))
      }
    }
    for target in duty.targets where target.mustBeKnown {
      let seen = save.changes[item.key]?.base?.record
      guard let key = item.old?.toOne(at: target.slot, layout: entity.layout),
        seen?.toOne(at: target.slot, layout: entity.layout) != key, try exists(key)
      else { continue }
      breaches.append(.member(of: item.key, target.name, target.rule, target: key))
    }
  }

  /// How a to-one slot leads to objects of the entity of `key`; nil if it may dangle.
  private func referrer(
    to key: ObjectKey, _ number: PropertyNumber
  ) -> LinkDuties.Referrer? {
    duties[Int(key.entity.rawValue)].referrers.first { $0.index == number }
  }

  /// The objects of the save whose slot leads to `key`.
  private func pendingReferrers(
    to key: ObjectKey, _ referrer: LinkDuties.Referrer, besides found: [ObjectKey]
  ) throws -> [ObjectKey] {
    try Overlay(save.segments).referrers(to: key, index: referrer.index).filter {
      try !found.contains($0) && target(of: $0, at: referrer.slot) == key
    }
  }

  /// The objects that the store has whose slot leads to `key` after the save.
  func referrers(to key: ObjectKey, _ referrer: LinkDuties.Referrer) throws -> [ObjectKey] {
    var prefix: [UInt8] = []
    KeyEncoder.append(objectKey: key, to: &prefix)
    var found: [ObjectKey] = []
    try view.scanIndex(referrer.index, in: KeyRange(prefix: prefix), isReversed: false) {
      _, owner in
      switch outcome(of: owner) {
      case .deleted: break
      case .untouched: found.append(owner)
      case .record(let record):
        guard let layout = schema.entity(owner.entity)?.layout else { break }
        if record.toOne(at: referrer.slot, layout: layout) == key { found.append(owner) }
      }
      return .more
    }
    return found
  }

  /// The ends of the links that the store has at `place`.
  func storedTargets(at place: LinkPlace) throws -> [ObjectKey] {
    var targets: [ObjectKey] = []
    try view.scanLinks(at: place) { target, _ in
      targets.append(target)
      return .more
    }
    return targets
  }

  /// Where a to-one slot leads after the save; nil if the object will not be there.
  func target(of key: ObjectKey, at slot: Int) throws -> ObjectKey? {
    guard let record = try record(of: key), let layout = schema.entity(key.entity)?.layout
    else { return nil }
    return record.toOne(at: slot, layout: layout)
  }

  /// The same for a one-to-one relationship, whose ends agree if one leads to whom a constraint
  /// conflict has put in the place of the other.
  func partner(of key: ObjectKey, at slot: Int) throws -> ObjectKey? {
    let partner = try target(of: key, at: slot)
    return partner.flatMap(replacements.survivor(of:)) ?? partner
  }

  /// Whether what lies there are mere positions: to-one slots are the truth of the relationship.
  func holdsPositions(_ place: LinkPlace) -> Bool {
    duties[Int(place.owner.entity.rawValue)].links.contains {
      $0.number == place.relationship && $0.mirror == nil
    }
  }

  /// Whether the merge policy let another save's deletion of the object stand: links to it are
  /// dropped with our changes.
  func isGoneByMerge(_ key: ObjectKey) -> Bool {
    guard !plan.merged.isEmpty, let decided = plan.merged[key] else { return false }
    return decided == nil
  }
}
