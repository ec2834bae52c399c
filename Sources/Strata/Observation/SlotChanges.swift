// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The changed slots of objects in a run of changes, including the other ends of their links.
struct SlotChanges: Sendable {
  /// By object; one that is only deleted has none.
  private(set) var slots: [ObjectKey: SlotSet] = [:]
  /// The objects at the other end of to-one links that changed.
  private(set) var ends: Set<ObjectKey> = []
  /// The objects that existed before, and whose first known change is their deletion.
  private(set) var firstDeleted: Set<ObjectKey> = []

  var isEmpty: Bool { slots.isEmpty && firstDeleted.isEmpty }

  /// Adds a segment that is newer than those before. O(changes × relationships).
  mutating func add(_ segment: Segment, schema: Schema) {
    add(segment.changes, segment.links, schema: schema)
  }

  mutating func add(_ changes: ChangeTable, _ links: LinkChanges, schema: Schema) {
    for (key, change) in changes where !change.isReadLock {
      if change.kind == .delete {
        if change.base != nil, slots[key] == nil { firstDeleted.insert(key) }
      } else {
        slots[key, default: SlotSet()].formUnion(change.slots)
      }
      if let entity = schema.entity(key.entity) { addEnds(of: change, entity) }
    }
    for place in links.byPlace.keys {
      guard let slot = schema.entity(place.owner.entity)?.slot(of: place.relationship)
      else { continue }
      slots[place.owner, default: SlotSet()].insert(slot)
    }
  }

  /// Adds the slot of an object at the other end of a to-one link.
  mutating func addEnd(_ key: ObjectKey, _ slot: Int) {
    ends.insert(key)
    slots[key, default: SlotSet()].insert(slot)
  }

  /// Adds newer changes.
  mutating func append(_ later: SlotChanges) {
    for key in later.firstDeleted where slots[key] == nil { firstDeleted.insert(key) }
    slots.merge(later.slots) { $0.union($1) }
    ends.formUnion(later.ends)
  }

  /// Added and removed members change the to-many relationship that their to-one slot defines.
  private mutating func addEnds(of change: Change, _ entity: EntitySchema) {
    for case let relationship? in entity.relationships where relationship.kind == .toOne {
      guard let inverse = relationship.inverse, inverse.kind != .toOne,
        change.kind == .delete || change.slots.contains(relationship.slot)
      else { continue }
      let former = change.base?.record.toOne(at: relationship.slot, layout: entity.layout)
      let present = change.record?.toOne(at: relationship.slot, layout: entity.layout)
      if former == present { continue }
      if let former { addEnd(former, inverse.slot) }
      if let present { addEnd(present, inverse.slot) }
    }
  }
}

extension EntitySchema {
  /// The slot of the relationship whose links are stored under `number`; nil if it is the mirror of
  /// one without an inverse. O(relationships).
  fileprivate func slot(of number: PropertyNumber) -> Int? {
    relationships.firstIndex { $0?.number == number }
  }
}
