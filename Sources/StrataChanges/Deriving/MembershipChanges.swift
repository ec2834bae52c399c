// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Gathers the to-many relationships that gain or lose members by changes, with their owners.
/// Contexts, saves and batches all use it.
///
/// It uses the records beneath the changes, not the changes' bases: those may be older, and would
/// miss the loss of an object that another context has moved since.
package struct MembershipChanges {
  package let schema: MembershipSchema
  /// The relationships found, each with its owner.
  package private(set) var places: Set<LinkPlace> = []
  /// The relationships among them that gain members by to-one slots.
  package private(set) var gaining: Set<LinkPlace> = []

  package init(_ schema: MembershipSchema) { self.schema = schema }

  /// Adds the relationships that gain or lose an object.
  ///
  /// - Parameters:
  ///   - former: the record beneath the change.
  ///   - record: the record of the change; nil if it deletes the object.
  ///   - slots: the slots that may have changed; nil for all.
  ///   - beneath: the view beneath the change.
  ///   - earlier: the object's record at an earlier call for the same save, whose memberships are
  ///     added again; nil if there was no such call.
  package mutating func add(
    _ key: ObjectKey, from former: Record?, to record: Record?, changing slots: SlotSet?,
    over beneath: ReadView, addedEarlier earlier: Record? = nil
  ) throws {
    guard let entity = schema[key.entity], let layout = beneath.schema.entity(key.entity)?.layout
    else { return }
    for (slot, relationship) in entity.slots {
      if let target = earlier?.toOne(at: slot, layout: layout) {
        places.insert(LinkPlace(relationship, target))
      }
      if let slots, !slots.contains(slot) { continue }
      let old = former?.toOne(at: slot, layout: layout)
      let new = record?.toOne(at: slot, layout: layout)
      if old == new { continue }
      if let old { places.insert(LinkPlace(relationship, old)) }
      guard let new else { continue }
      places.insert(LinkPlace(relationship, new))
      gaining.insert(LinkPlace(relationship, new))
    }
    if record != nil { return }
    for (relationship, end) in entity.ends {
      for member in try beneath.linked(at: LinkPlace(relationship, key)) {
        places.insert(LinkPlace(end, member))
      }
    }
  }

  /// Adds the relationships that gain or lose an object by an unsaved change.
  package mutating func add(
    _ key: ObjectKey, _ change: Change, over beneath: ReadView, addedEarlier earlier: Record? = nil
  ) throws {
    guard let entity = schema[key.entity] else { return }
    let isNew = entity.slots.isEmpty || change.base == nil
    let former = isNew ? nil : try beneath.record(of: key)?.record
    try add(
      key, from: former, to: change.record,
      changing: change.kind == .update ? change.slots : nil, over: beneath, addedEarlier: earlier)
  }

  /// Adds the relationships whose links change.
  package mutating func add(_ links: LinkChanges) {
    if schema.relationships.isEmpty { return }
    for place in links.byPlace.keys where schema.relationships.contains(place.relationship) {
      places.insert(place)
    }
  }
}
