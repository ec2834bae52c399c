// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Setting one end of a relationship sets the other, without loading what need not be loaded.

extension ManagedObjectContext {
  // MARK: - To-one

  /// The target's key, or nil. Fires a fault of the object, not of the target.
  func toOneKey(of object: ManagedObject, at slot: Int) -> ObjectKey? {
    if let draft = object.draft { return draft.toOne(at: slot) }
    if object.isFault { fire(object) }
    return object.record?.toOne(at: slot, layout: object.home.layout)
  }

  /// Sets the slot of a to-one relationship and nothing else.
  func setToOneKey(_ key: ObjectKey?, of object: ManagedObject, at slot: Int) {
    guard toOneKey(of: object, at: slot) != key else { return }
    putToOneKey(key, of: object, at: slot)
  }

  /// Sets the slot to another target than it has.
  private func putToOneKey(_ key: ObjectKey?, of object: ManagedObject, at slot: Int) {
    if observed != nil { targetWillChange(of: object, at: slot, to: key) }
    guard let draft = draftForEditing(object, slot) else { return }
    draft.setToOne(key, at: slot)
    guard !orderedLists.isEmpty, let inverse = object.home.entity.relationships[slot]?.inverse,
      inverse.kind == .orderedToMany
    else { return }
    orderedTargetDidChange(of: object, to: key, inverse.number)
  }

  /// Sets a to-one relationship and its inverse. A to-many inverse is not touched: it is an index
  /// over this slot. A to-one inverse lets go of its former partner.
  func setToOne(_ target: ManagedObject?, of object: ManagedObject, at slot: Int) {
    if let target { requireOwn(target) }
    prepareToRelate()
    if let target, !cache.isCurrent(target) { edits.outdated.append(target.key) }
    let former = toOneKey(of: object, at: slot)
    guard former != target?.key else { return }
    // The inverse alone: a copy of the whole schema would count references.
    let inverse = object.home.entity.relationships[slot]?.inverse
    if let inverse, inverse.kind == .toOne {
      if let former { letGo(of: object, former, at: inverse.slot) }
      if let target {
        if let other = toOneKey(of: target, at: inverse.slot) { letGo(of: target, other, at: slot) }
        setToOneKey(object.key, of: target, at: inverse.slot)
      }
      // Observers of the others may have set it meanwhile.
      return setToOneKey(target?.key, of: object, at: slot)
    }
    if let inverse {
      if let former { turn.noteEnd(former, inverse.slot) }
      if let target { turn.noteEnd(target.key, inverse.slot) }
      if inverse.kind == .orderedToMany, let former {
        setPosition(.absent, at: LinkPlace(inverse.number, former), to: object.key)
      }
    }
    putToOneKey(target?.key, of: object, at: slot)
    if let target, let inverse, inverse.kind == .orderedToMany {
      putLast(object, in: target, inverse.slot)
    }
  }

  /// Makes the slot of a one-to-one link nil at its other end, if it leads to `object`. While what two
  /// contexts did is not saved, the other end may have found another partner.
  func letGo(of object: ManagedObject, _ key: ObjectKey, at slot: Int) {
    guard let partner = instance(of: key), toOneKey(of: partner, at: slot) == object.key else {
      return
    }
    setToOneKey(nil, of: partner, at: slot)
  }

  // MARK: - To-many

  /// The members of a to-many relationship, in its order.
  func members(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> [ReadView.Member] {
    guard object.isAlive, object.status != .deleted else { return [] }
    if let kept = keptMembers(of: object, relationship) { return kept.all }
    do { return try readMembers(of: object, relationship) } catch {
      if deferredError == nil { deferredError = error }
      return []
    }
  }

  /// The members as the view has them.
  func readMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) throws -> [ReadView.Member] {
    let members = try currentViewIncludingEdits().members(of: relationship, owner: object.key)
    guard relationship.isOrdered else { return members }
    // A list is a collection: it has as many members as it says.
    let family = schema.entity(relationship.destination)?.family ?? []
    return members.filter { family.contains($0.key.entity) }
  }

  func isMember(
    _ target: ManagedObject, of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> Bool {
    requireOwn(target)
    switch relationship.storage {
    case .slot: return toOneKey(of: object, at: relationship.slot) == target.key
    case .inverseSlot(_, let slot): return toOneKey(of: target, at: slot) == object.key
    case .links(let number, _):
      return isLinked(object, to: target, at: LinkPlace(number, object.key))
    }
  }

  /// Whether the link is there, looked up by itself: O(log entries), however many members there are.
  private func isLinked(
    _ object: ManagedObject, to target: ManagedObject, at place: LinkPlace
  ) -> Bool {
    guard target.status != .deleted, hasLink(object, to: target, at: place) else { return false }
    do {
      return try currentView().change(for: target.key)?.kind != .delete
    } catch {
      if deferredError == nil { deferredError = error }
      return false
    }
  }

  /// Whether the link is there, be it to an object that is deleted: a rule may have left it.
  private func hasLink(
    _ object: ManagedObject, to target: ManagedObject, at place: LinkPlace
  ) -> Bool {
    guard object.isAlive, target.isAlive, object.status != .deleted else { return false }
    do {
      if let state = edits.links.state(at: place, to: target.key), state.isWhole {
        return state != .absent
      }
      return try currentView().link(at: place, to: target.key) != .absent
    } catch {
      if deferredError == nil { deferredError = error }
      return false
    }
  }

  /// Links `target`; no other member is loaded.
  func link(
    _ object: ManagedObject, to target: ManagedObject, _ relationship: RelationshipSchema,
    position: UInt64 = 0
  ) {
    requireOwn(target)
    prepareToRelate()
    guard object.isAlive, target.isAlive, object.status != .deleted, target.status != .deleted
    else { return }
    for end in [object, target] where !cache.isCurrent(end) { edits.outdated.append(end.key) }
    switch relationship.storage {
    case .slot: break
    case .inverseSlot(_, let slot):
      if relationship.isOrdered {
        // First, so that the member is known to have its place when it becomes one.
        if observed != nil { linksWillChange(relationship.number, of: object.key) }
        setPosition(
          .present(position: position), at: LinkPlace(relationship.number, object.key),
          to: target.key)
      }
      setToOne(object, of: target, at: slot)
    case .links(let number, let mirror):
      // In an ordered inverse the new link comes last.
      let isMirrorOrdered = relationship.inverse?.kind == .orderedToMany
      setLink(
        .present(position: position), number, mirror: mirror, from: object.key, to: target.key,
        mirrored: .present(position: isMirrorOrdered ? PositionPlan.unnumbered : 0))
    }
    noteTouched()
  }

  func unlink(
    _ object: ManagedObject, from target: ManagedObject, _ relationship: RelationshipSchema
  ) {
    requireOwn(target)
    prepareToRelate()
    switch relationship.storage {
    case .slot: break
    case .inverseSlot(_, let slot):
      guard toOneKey(of: target, at: slot) == object.key else { return }
      setToOne(nil, of: target, at: slot)
    case .links(let number, let mirror):
      guard hasLink(object, to: target, at: LinkPlace(number, object.key)) else { return }
      setLink(.absent, number, mirror: mirror, from: object.key, to: target.key)
    }
    noteTouched()
  }

  /// Notes a link's new state in both directions. Both ends count as updated.
  ///
  /// - Parameter mirrored: the state in the direction of the inverse, if it is another.
  func setLink(
    _ state: LinkState, _ number: PropertyNumber, mirror: PropertyNumber, from owner: ObjectKey,
    to target: ObjectKey, mirrored: LinkState? = nil
  ) {
    if observed != nil {
      linksWillChange(number, of: owner)
      linksWillChange(mirror, of: target)
    }
    setPosition(state, at: LinkPlace(number, owner), to: target)
    setPosition(mirrored ?? state, at: LinkPlace(mirror, target), to: owner)
    turn.updated.append(owner)
    turn.updated.append(target)
    noteTouched()
  }
}
