// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Which link entries come and go.

extension SaveCheck {
  /// Plans the links that go with deleted objects, and those that the save adds and removes.
  mutating func planLinks() throws {
    for section in plan.sections {
      let duty = duties[Int(section.entity.number.rawValue)]
      if !duty.hasEntries { continue }
      for place in section.items.indices where section.items[place].new == nil {
        let item = section.items[place]
        for links in duty.links { try planRemoval(of: links, of: item.key) }
        planRemovalOfPositions(of: item, section.entity, duty)
      }
    }
    try planOwnLinks()
    for number in plan.linkEntries.keys {
      plan.linkEntries[number]?.removed.sort()
      plan.linkEntries[number]?.added.sort()
    }
  }

  /// Plans the removal of all links of a deleted object in one direction, and of their mirrors.
  private mutating func planRemoval(of links: LinkDuties.Links, of key: ObjectKey) throws {
    for target in try storedTargets(at: LinkPlace(links.number, key)) {
      plan.linkEntries[links.number, default: .init()].removed.append(link: key, to: target)
      if let mirror = links.mirror {
        plan.linkEntries[mirror, default: .init()].removed.append(link: target, to: key)
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
      plan.linkEntries[number, default: .init()].removed.append(link: owner, to: item.key)
    }
  }

  /// Plans the links of the change set; it has both directions of what it adds and removes. Those
  /// whose end a merge policy let go are dropped, and so is a position whose owner or member is not
  /// there any more: it is no link, and goes with them, whoever deletes them.
  private mutating func planOwnLinks() throws {
    for (place, links) in plan.links.byPlace {
      precondition(
        view.trees.entries(of: place.relationship) != nil,
        "a change set holds links of the model's own relationships")
      var changes = plan.linkEntries.removeValue(forKey: place.relationship) ?? .init()
      let isChecked = dropsLinks || !plan.merged.isEmpty || holdsPositions(place)
      let isOwnerThere = try !isChecked || exists(place.owner)
      for (target, state) in links {
        switch state {
        case .absent: changes.removed.append(link: place.owner, to: target)
        case .present(let position):
          guard isOwnerThere, try !isChecked || exists(target) else { continue }
          changes.added.append(link: place.owner, to: target, position: position)
        case .moved(let position):
          // Whoever has taken the link away meanwhile has the last word.
          guard isOwnerThere, try !isChecked || exists(target),
            try view.link(at: place, to: target) != nil
          else { continue }
          changes.added.append(link: place.owner, to: target, position: position)
        }
      }
      plan.linkEntries[place.relationship] = changes
    }
  }
}
