// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// Resolves links without an end, and one-to-one links that share an end, when newer changes are
// laid over older ones.

extension Composition {
  mutating func dropLinksToDeleted() {
    var kept = links
    kept.filter { place, target, state in
      let isKept =
        state == .absent
        ? !isLost(place.owner) && !isLost(target) || takesBack(place, target)
        : !isDeleted(place.owner) && !isDeleted(target)
      if !isKept { hasComposed = true }
      return isKept
    }
    links = kept
  }

  /// Whether the link goes with the deletion of one of its ends, and the receiver has added it.
  private func takesBack(_ place: LinkPlace, _ target: ObjectKey) -> Bool {
    guard isDeletion(of: place.owner) || isDeletion(of: target) else { return false }
    return all.link(at: place, to: target).map { $0 != .absent && $0.isWhole } ?? false
  }

  private func isDeletion(of key: ObjectKey) -> Bool { change(of: key)?.kind == .delete }

  /// Whether the object has no links to take away. Its own deletions a context may repair, and an
  /// object that the newer changes bring back has the links that others have given it since.
  private func isLost(_ key: ObjectKey) -> Bool {
    if isOwn { return false }
    let change = newer.change(for: key)
    // The sender made and deleted the object itself: it removes no link beneath.
    if let change, change.isUnseenDeletion { return true }
    return isMissingBeneath(key) && change?.kind != .insert
  }

  // MARK: - Links to objects that the older changes deleted

  mutating func dropToOneLinksToDeleted(from key: ObjectKey, _ entity: EntitySchema) {
    guard let slots = newer.change(for: key)?.slots, let record = change(of: key)?.record
    else { return }
    for end in entity.ends.targets where slots.contains(end.slot) {
      guard let target = record.toOne(at: end.slot, layout: entity.layout), isDeleted(target)
      else { continue }
      setToOneNil(end.slot, of: key)
    }
  }

  // MARK: - One-to-one links

  /// Drops the older one-to-one links that share an end with those that the newer change of an
  /// object sets or takes away: the sender did not see them, or would have dropped them itself.
  ///
  /// - Parameter slots: the slots that the newer change sets.
  mutating func dropRivals(
    ofLinksFrom key: ObjectKey, setting slots: SlotSet, _ entity: EntitySchema
  ) {
    for (slot, back) in entity.ends.partnered where slots.contains(slot) {
      guard let record = change(of: key)?.record else { continue }
      let target = record.toOne(at: slot, layout: entity.layout)
      dropRivals(linkedTo: key, back.number, back.slot, besides: target)
      if let target { dropRivals(linkedTo: target, entity.numbers[slot], slot, besides: key) }
    }
    if !isOwn { dropIfRival(key, setting: slots, entity) }
  }

  private mutating func dropRivals(
    linkedTo key: ObjectKey, _ index: PropertyNumber, _ slot: Int, besides partner: ObjectKey?
  ) {
    for rival in members(linkedTo: key, index, slot: slot)
    where rival != partner && isRival(rival, slot) {
      setToOneNil(slot, of: rival)
    }
  }

  /// Whether an older one-to-one link gives way. A context's own edits do not clear a link that an
  /// outdated object still shows: no edit made that link.
  private func isRival(_ member: ObjectKey, _ slot: Int) -> Bool {
    !isOwn || pendingChange(of: member)?.slots.contains(slot) == true
  }

  /// Drops the one-to-one links beneath the receiver that the sender was unaware of, if the newer
  /// changes have linked the partner elsewhere.
  private mutating func dropIfRival(
    _ key: ObjectKey, setting slots: SlotSet, _ entity: EntitySchema
  ) {
    for (slot, back) in entity.ends.partnered where !slots.contains(slot) {
      guard let partner = change(of: key)?.record?.toOne(at: slot, layout: entity.layout),
        newer.change(for: partner)?.slots.contains(back.slot) == true,
        let layout = schema.entity(partner.entity)?.layout,
        let theirs = change(of: partner)?.record,
        theirs.toOne(at: back.slot, layout: layout) != key
      else { continue }
      setToOneNil(slot, of: key)
    }
  }
}
