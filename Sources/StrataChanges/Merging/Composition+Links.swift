// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// Links whose ends are not there, and one-to-one links that share an end: what becomes of them when
// newer changes are laid over older ones.

extension Composition {
  mutating func dropLinksToDeleted() {
    var kept = links
    kept.filter { place, target, state in
      let isKept =
        state == .absent
        ? !isLost(place.owner) && !isLost(target)
        : !isDeleted(place.owner) && !isDeleted(target)
      if !isKept { hasComposed = true }
      return isKept
    }
    links = kept
  }

  /// Whether the receiver does not have the object, whatever the newer changes say: it has no links to
  /// take away.
  private func isLost(_ key: ObjectKey) -> Bool {
    // Its own deletions a context may repair.
    if isOwn { return false }
    if let change = older.change(for: key) ?? frozen.change(for: key) {
      return change.kind == .delete
    }
    switch ground.found[key] {
    case .deleted, .absent: return true
    case .there, nil: return false
    }
  }

  // MARK: - Links to what the older changes deleted

  mutating func dropToOneLinksToDeleted(
    from key: ObjectKey, _ entity: EntitySchema, _ toOnes: [RelationshipSchema]
  ) {
    guard let slots = newer.change(for: key)?.slots, let record = change(of: key)?.record
    else { return }
    for relationship in toOnes where slots.contains(relationship.slot) {
      guard let target = record.toOne(at: relationship.slot, layout: entity.layout),
        isDeleted(target)
      else { continue }
      setToOneNil(relationship.slot, of: key)
    }
  }

  // MARK: - One-to-one links

  /// Drops the older one-to-one links that share an end with those that `newer` sets or takes away:
  /// the sender did not see them, or would have dropped them itself.
  mutating func dropRivals(
    ofLinksThat newer: Change, setsIn key: ObjectKey, _ entity: EntitySchema,
    _ partnered: [RelationshipSchema]
  ) {
    for relationship in partnered {
      guard let inverse = relationship.inverse, newer.slots.contains(relationship.slot),
        let record = change(of: key)?.record
      else { continue }
      let target = record.toOne(at: relationship.slot, layout: entity.layout)
      for rival in members(linkedTo: key, inverse.number, slot: inverse.slot)
      where rival != target && isRival(rival, inverse.slot) {
        setToOneNil(inverse.slot, of: rival)
      }
      guard let target else { continue }
      for rival in members(linkedTo: target, relationship.number, slot: relationship.slot)
      where rival != key && isRival(rival, relationship.slot) {
        setToOneNil(relationship.slot, of: rival)
      }
    }
    if !isOwn { dropIfRival(key, setting: newer.slots, entity, partnered) }
  }

  /// Whether an older one-to-one link gives way. A context's own edits leave alone what an object that is
  /// out of date still shows: that link is nobody's edit.
  private func isRival(_ member: ObjectKey, _ slot: Int) -> Bool {
    !isOwn || pendingChange(of: member)?.slots.contains(slot) == true
  }

  /// Drops the one-to-one links that an object has from beneath the receiver, of which the sender did
  /// not know, if the newer changes have linked its partner elsewhere.
  private mutating func dropIfRival(
    _ key: ObjectKey, setting slots: SlotSet, _ entity: EntitySchema,
    _ partnered: [RelationshipSchema]
  ) {
    for relationship in partnered where !slots.contains(relationship.slot) {
      guard let inverse = relationship.inverse,
        let partner = change(of: key)?.record?
          .toOne(at: relationship.slot, layout: entity.layout),
        newer.change(for: partner)?.slots.contains(inverse.slot) == true,
        let layout = schema.entity(partner.entity)?.layout,
        let theirs = change(of: partner)?.record,
        theirs.toOne(at: inverse.slot, layout: layout) != key
      else { continue }
      setToOneNil(relationship.slot, of: key)
    }
  }
}
