// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

// No link may lead to an object that the store will not have.

extension SaveCheck {
  /// Each target that the save newly links to must exist after it.
  mutating func checkTargets() throws {
    for section in plan.sections {
      let targets = duties[Int(section.entity.number.rawValue)].targets
      if targets.isEmpty { continue }
      for item in section.items {
        guard let new = item.new else { continue }
        for target in targets {
          guard let key = new.toOne(at: target.slot, layout: section.entity.layout),
            item.old?.toOne(at: target.slot, layout: section.entity.layout) != key,
            try !exists(key)
          else { continue }
          report(.missingTarget, of: target.name, from: item.key, to: key)
        }
      }
    }
    for (place, links) in save.changeSet.links.byPlace where !isGoneByMerge(place.owner) {
      if hasMerePositions(at: place) { continue }
      for case (let target, .present) in links where !isGoneByMerge(target) {
        if try exists(target) { continue }
        report(.missingTarget, of: name(of: place), from: place.owner, to: target)
      }
    }
  }

  /// Links to a deleted object that the save does not know stand in its way, unless they are members
  /// of a set: those go with it.
  mutating func checkReferrers() throws {
    for section in plan.sections {
      let duty = duties[Int(section.entity.number.rawValue)]
      if duty.referrers.isEmpty && duty.links.isEmpty && duty.targets.isEmpty { continue }
      for item in section.items where item.new == nil {
        for referrer in duty.referrers { try checkReferrers(to: item.key, referrer) }
        for links in duty.links { try planRemoval(of: links, of: item.key) }
        planRemovalOfPositions(of: item, section.entity, duty)
      }
    }
  }

  private mutating func checkReferrers(
    to key: ObjectKey, _ referrer: LinkDuties.Referrer
  ) throws {
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
    for owner in found { report(.unknownReferrer, of: referrer.name, from: owner, to: key) }
  }

  // MARK: - What goes and comes

  /// Plans the removal of all links of a deleted object in one direction, and of their mirrors.
  private mutating func planRemoval(of links: LinkDuties.Links, of key: ObjectKey) throws {
    let place = LinkPlace(links.number, key)
    let known = save.changeSet.links.at(place)
    var targets: [ObjectKey] = []
    try view.scanLinks(at: place) { target, _ in
      targets.append(target)
      return .more
    }
    for target in targets {
      plan.links[links.number, default: .init()].removed.append(link: key, to: target)
      if let mirror = links.mirror {
        plan.links[mirror, default: .init()].removed.append(link: target, to: key)
      }
      if links.mustBeKnown, known[target] == nil, try exists(target) {
        report(.unknownMember, of: links.name, from: key, to: target)
      }
    }
  }

  private mutating func planRemovalOfPositions(
    of item: SavePlan.Item, _ entity: EntitySchema, _ duty: LinkDuties
  ) {
    for target in duty.targets {
      guard let number = target.positions,
        let owner = item.old?.toOne(at: target.slot, layout: entity.layout)
      else { continue }
      plan.links[number, default: .init()].removed.append(link: owner, to: item.key)
    }
  }

  /// Plans the links that the change set itself adds, moves and removes; it has both directions of
  /// what it adds and removes.
  mutating func planLinks() throws {
    for (place, links) in save.changeSet.links.byPlace {
      precondition(
        view.trees.entries(of: place.relationship) != nil,
        "a change set holds links of the model's own relationships")
      let isMere = hasMerePositions(at: place)
      if isMere, try !exists(place.owner) { continue }
      var changes = plan.links.removeValue(forKey: place.relationship) ?? .init()
      for (target, state) in links {
        // A place is no link: it goes with its member, whoever deletes that.
        if isMere, state != .absent, try !exists(target) { continue }
        switch state {
        case .absent: changes.removed.append(link: place.owner, to: target)
        case .present(let position):
          if isGoneByMerge(place.owner) || isGoneByMerge(target) { continue }
          changes.added.append(link: place.owner, to: target, position: position)
        case .moved(let position):
          // Whoever has taken the link away meanwhile has the last word.
          guard !isGoneByMerge(place.owner), !isGoneByMerge(target),
            try view.link(at: place, to: target) != nil
          else { continue }
          changes.added.append(link: place.owner, to: target, position: position)
        }
      }
      plan.links[place.relationship] = changes
    }
    for number in plan.links.keys {
      plan.links[number]?.removed.sort()
      plan.links[number]?.added.sort()
    }
  }

  /// Whether to-one slots are the truth of the relationship, and what lies at `place` says only in
  /// which order.
  private mutating func hasMerePositions(at place: LinkPlace) -> Bool {
    if let known = merePositions[place.relationship] { return known }
    let relationship = schema.entity(place.owner.entity)?.relationships.first {
      $0?.number == place.relationship
    }
    let isMere = if case .inverseSlot? = relationship??.storage { true } else { false }
    merePositions[place.relationship] = isMere
    return isMere
  }

  /// Whether the merge policy let another save's deletion of the object stand: links to it are
  /// dropped with our changes.
  private func isGoneByMerge(_ key: ObjectKey) -> Bool {
    guard let decided = plan.merged[key] else { return false }
    return decided == nil
  }

  private func name(of place: LinkPlace) -> String {
    let number = place.relationship.rawValue & PropertyNumber.rawValueMax
    let entity = schema.entity(place.owner.entity)
    let slot = entity?.numbers.firstIndex { $0.rawValue == number }
    return slot.flatMap { entity?.description.properties[$0].name } ?? "a relationship"
  }

  private mutating func report(
    _ cause: DanglingLink.Cause, of relationship: String, from owner: ObjectKey,
    to target: ObjectKey
  ) {
    danglingLinks.append(
      DanglingLink(
        owner: objectID(owner), relationship: relationship, target: objectID(target), cause: cause))
  }
}
