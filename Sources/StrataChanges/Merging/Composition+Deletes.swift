// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// Applies the delete rules of newer deletions to members that are pending in the older changes and
// that the sender did not see. The sender has applied the rules to the members that it saw.

extension Composition {
  mutating func propagateDelete(of first: ObjectKey) {
    var pending = [first]
    while let key = pending.popLast() {
      guard let ends = schema.entity(key.entity)?.ends else { continue }
      for referrer in ends.referrers {
        for member in members(linkedTo: key, referrer.index, slot: referrer.slot)
        where isReached(member, referrer) {
          switch referrer.rule {
          case .nullify: setToOneNil(referrer.slot, of: member)
          case .cascade: if delete(member) { pending.append(member) }
          case .deny, .noAction: break
          }
        }
      }
      for links in ends.links {
        for target in removeLinks(links, of: key) where links.rule == .cascade {
          if delete(target) { pending.append(target) }
        }
      }
    }
  }

  /// The pending objects whose to-one slot leads to `key` by the older changes. If the newer
  /// changes contain the object too, they set other slots of it.
  func members(
    linkedTo key: ObjectKey, _ index: PropertyNumber, slot: Int
  ) -> [ObjectKey] {
    all.referrers(to: key, index: index).filter { member in
      if reachesEditsAlone, pendingChange(of: member)?.slots.contains(slot) != true {
        return false
      }
      guard let change = change(of: member) else { return true }
      guard let record = change.record, let layout = schema.entity(member.entity)?.layout
      else { return false }
      return record.toOne(at: slot, layout: layout) == key
    }
  }

  /// Whether the deletion of an owner reaches a pending member.
  ///
  /// A sender that links a member to an owner which the receiver deletes loses that link, not the
  /// member. A context that deletes the owner itself has applied the rules to the members that it
  /// showed, before it changed any of them. One of these may still have the owner in a slot that no
  /// edit has set, because its values are stale.
  private func isReached(_ member: ObjectKey, _ referrer: RelationshipEnds.Referrer) -> Bool {
    if isOwn { return pendingChange(of: member)?.slots.contains(referrer.slot) == true }
    return referrer.isPartner || newer.change(for: member)?.slots.contains(referrer.slot) != true
  }

  /// - Returns: whether it was there.
  private mutating func delete(_ key: ObjectKey) -> Bool {
    guard let change = pendingChange(of: key), change.kind != .delete else { return false }
    outcomes.updateValue(.delete(base: change.base), forKey: key)
    hasComposed = true
    return true
  }

  /// Takes back the links that the older changes add to a deleted object.
  ///
  /// - Returns: the objects at the other end.
  private mutating func removeLinks(
    _ ends: RelationshipEnds.Links, of key: ObjectKey
  ) -> [ObjectKey] {
    guard let mirror = ends.mirror else { return [] }
    let place = LinkPlace(ends.number, key)
    // One that was only moved is beneath them.
    let targets = all.links(at: place).filter { $0.value != .absent && $0.value.isWhole }.keys
    if !targets.isEmpty { hasComposed = true }
    for target in targets {
      links.set(.absent, at: place, to: target)
      links.set(.absent, at: LinkPlace(mirror, target), to: key)
    }
    return Array(targets)
  }
}
