// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// The delete rules of what the newer changes delete, on members that are pending in the older changes
// and that the sender did not see. Those that it saw, it has dealt with itself.

extension Composition {
  mutating func propagateDelete(of first: ObjectKey) {
    var pending = [first]
    while let key = pending.popLast() {
      guard let entity = schema.entity(key.entity) else { continue }
      for case let relationship? in entity.relationships {
        let rule = relationship.deleteRule
        switch relationship.storage {
        case .inverseSlot(let index, let slot):
          for member in members(linkedTo: key, index, slot: slot) where isReached(member, slot) {
            pending += apply(rule, to: member, slot: slot)
          }
        case .slot:
          guard let inverse = relationship.inverse, inverse.kind == .toOne else { continue }
          for member in members(linkedTo: key, inverse.number, slot: inverse.slot)
          where !isOwn || isReached(member, inverse.slot) {
            pending += apply(rule, to: member, slot: inverse.slot)
          }
        case .links(let number, let mirror):
          for target in removeLinks(of: key, number, mirror: mirror) where rule == .cascade {
            pending += delete(target)
          }
        }
      }
      for incoming in entity.incoming {
        switch incoming.storage {
        case .slot:
          for member in members(linkedTo: key, incoming.number, slot: incoming.slot)
          where isReached(member, incoming.slot) {
            setToOneNil(incoming.slot, of: member)
          }
        case .links(let number, let mirror):
          _ = removeLinks(of: key, mirror, mirror: number)
        case .inverseSlot: continue
        }
      }
    }
  }

  /// Pending objects whose to-one slot leads to `key` by the older changes, and by the newer ones too
  /// if those speak of the object: then of other slots of it.
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
  /// A sender that links a member to an owner which the receiver deletes loses that link, not the member.
  /// A context that deletes the owner itself has dealt with the members that it showed, before it changed
  /// any of them: one of these may still hold the owner in a slot that nobody has set, because its values
  /// are stale.
  private func isReached(_ member: ObjectKey, _ slot: Int) -> Bool {
    if isOwn { return pendingChange(of: member)?.slots.contains(slot) == true }
    return newer.change(for: member)?.slots.contains(slot) != true
  }

  /// - Returns: the member, if the rule deletes it.
  private mutating func apply(
    _ rule: DeleteRule, to member: ObjectKey, slot: Int
  ) -> [ObjectKey] {
    switch rule {
    case .nullify:
      setToOneNil(slot, of: member)
      return []
    case .cascade: return delete(member)
    case .deny, .noAction: return []
    }
  }

  private mutating func delete(_ key: ObjectKey) -> [ObjectKey] {
    guard let change = pendingChange(of: key), change.kind != .delete else { return [] }
    outcomes.updateValue(.delete(base: change.base), forKey: key)
    hasComposed = true
    return [key]
  }

  /// Takes back the links that the older changes add to a deleted object.
  ///
  /// - Returns: the objects at the other end.
  private mutating func removeLinks(
    of key: ObjectKey, _ number: PropertyNumber, mirror: PropertyNumber
  ) -> [ObjectKey] {
    let place = LinkPlace(number, key)
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
