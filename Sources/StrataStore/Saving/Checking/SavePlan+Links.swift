// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The links that go with deleted objects. Saves and batch deletes plan them.

extension SavePlan {
  /// Plans the removal of all links of a deleted object in one direction, and of their mirrors.
  mutating func remove(
    _ links: RelationshipEnds.Links, of key: ObjectKey, in view: StoreView
  ) throws {
    for target in try view.targets(at: LinkPlace(links.number, key)) {
      linkEntries[links.number, default: .init()].removed.append(.init(owner: key, target: target))
      guard let mirror = links.mirror else { continue }
      linkEntries[mirror, default: .init()].removed.append(.init(owner: target, target: key))
    }
  }

  /// Plans the removal of the places that a deleted object has in the ordered relationships of
  /// those that it leads to.
  mutating func removePositions(
    of key: ObjectKey, _ record: Record, _ layout: RecordLayout,
    _ targets: [RelationshipEnds.Target]
  ) {
    for target in targets {
      guard let number = target.positions,
        let owner = record.toOne(at: target.slot, layout: layout)
      else { continue }
      linkEntries[number, default: .init()].removed.append(.init(owner: owner, target: key))
    }
  }

  /// Brings the planned links into the order in which trees have them.
  mutating func sortLinks() {
    for number in linkEntries.keys {
      linkEntries[number]?.removed.sort()
      linkEntries[number]?.added.sort()
    }
  }
}
