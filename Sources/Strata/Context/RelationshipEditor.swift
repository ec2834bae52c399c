// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// Reads and sets the relationships of one context's objects. Setting one end sets the other,
/// without loading objects unnecessarily.
///
/// ## Isolation
/// The context's.
final class RelationshipEditor: ContextPart {
  let reader: ContextReader
  let loader: ObjectLoader

  init(_ loader: ObjectLoader) {
    reader = loader.reader
    self.loader = loader
  }

  // MARK: - To-one

  /// The target's key, or nil. Fires a fault of the object, not of the target.
  func toOneKey(of object: ManagedObject, at slot: Int) -> ObjectKey? {
    if let draft = object.draft { return draft.toOne(at: slot) }
    if object.isFault { loader.fire(object) }
    return object.record?.toOne(at: slot, layout: object.binding.layout)
  }

  /// Sets the slot of a to-one relationship and nothing else.
  func setToOneKey(_ key: ObjectKey?, of object: ManagedObject, at slot: Int) {
    guard toOneKey(of: object, at: slot) != key else { return }
    putToOneKey(key, of: object, at: slot)
  }

  /// Makes the slot nil, whatever a stale object shows there.
  func cutToOne(of object: ManagedObject, at slot: Int) {
    if object.isFault { loader.fire(object) }
    putToOneKey(nil, of: object, at: slot)
  }

  /// Sets the slot to another target than it has in the turn's view.
  private func putToOneKey(_ key: ObjectKey?, of object: ManagedObject, at slot: Int) {
    if registry.observed != nil { registry.targetWillChange(of: object, at: slot, to: key) }
    guard let draft = work.draftForEditing(object, slot) else { return }
    if !draft.setToOne(key, at: slot) {
      // A stale object shows the new value already. The detour marks the slot as set.
      draft.setToOne(key == nil ? object.key : nil, at: slot)
      draft.setToOne(key, at: slot)
    }
    guard !work.orderedLists.isEmpty,
      let inverse = object.binding.entity.relationships[slot]?.inverse,
      inverse.kind == .orderedToMany
    else { return }
    orderedTargetDidChange(of: object, to: key, inverse.number)
  }

  /// Where a to-one relationship leads; nil also if the deletion of that object is pending.
  func targetKey(of object: ManagedObject, at slot: Int) -> ObjectKey? {
    guard let key = toOneKey(of: object, at: slot) else { return nil }
    if object.status != .deleted, let target = loader.instance(of: key),
      isDeletionPending(of: target)
    {
      return nil
    }
    return key
  }

  /// Whether the object is deleted here, or has no values and an ancestor has a pending deletion of
  /// it. An object that the program holds with its values stays until a merge.
  func isDeletionPending(of object: ManagedObject) -> Bool {
    if object.status == .deleted { return true }
    guard object.record == nil, object.draft == nil else { return false }
    return work.view?.change(for: object.key)?.kind == .delete
  }

  /// Where a to-one slot leads in the turn's view, unsaved edits included: a stale object, which
  /// shows its former values, is a member where the view has it. Fires no fault.
  func linkedKey(of object: ManagedObject, at slot: Int) throws -> ObjectKey? {
    if let draft = object.draft { return draft.toOne(at: slot) }
    let view = try reader.currentView()
    let layout = object.binding.layout
    if let record = object.record, object.status != .clean || registry.cache.isCurrent(object) {
      return record.toOne(at: slot, layout: layout)
    }
    return try view.record(of: object.key)?.record.toOne(at: slot, layout: layout)
  }

  /// Whether the object can be linked to: it is neither gone nor deleted, here or by an ancestor's
  /// pending change. Reads nothing of the store.
  private func isThere(_ object: ManagedObject) -> Bool {
    guard object.isPresent else { return false }
    if object.status != .clean { return true }
    reader.prepareToHandOut()
    if object.record != nil, registry.cache.isCurrent(object) { return true }
    return work.view?.change(for: object.key)?.kind != .delete
  }

  /// Sets a to-one relationship and its inverse. A to-many inverse is not touched: it is an index
  /// over this slot. A to-one inverse is cut from its former partner. A link to a deleted object is
  /// dropped: the relationship is nil then.
  func setToOne(_ target: ManagedObject?, of object: ManagedObject, at slot: Int) {
    if let target { registry.requireOwn(target) }
    reader.prepareToRelate()
    let target = target.flatMap { isThere($0) ? $0 : nil }
    if let target, !registry.cache.isCurrent(target) { work.edits.outdated.append(target.key) }
    let former = toOneKey(of: object, at: slot)
    guard former != target?.key else { return }
    relate(object, at: slot, from: former, to: target)
  }

  /// Has a to-one relationship lead elsewhere, and its inverse too.
  ///
  /// - Parameter former: where it leads now.
  private func relate(
    _ object: ManagedObject, at slot: Int, from former: ObjectKey?, to target: ManagedObject?
  ) {
    if object.isFault { loader.fire(object) }
    guard object.isPresent else { return }
    // Only the inverse: a copy of the whole schema would count references.
    let inverse = object.binding.entity.relationships[slot]?.inverse
    if let inverse, inverse.kind == .toOne {
      if let former { letGo(of: object, former, at: inverse.slot) }
      if let other = unseenPartner(of: object, at: slot), other != target?.key {
        letGo(of: object, other, at: inverse.slot)
      }
      if let target {
        if let other = toOneKey(of: target, at: inverse.slot) { letGo(of: target, other, at: slot) }
        if let other = unseenPartner(of: target, at: inverse.slot), other != object.key {
          letGo(of: target, other, at: slot)
        }
        linkBack(target, to: object.key, at: inverse.slot)
      }
      // Observers of the others may have set it in between.
      return setToOneKey(target?.key, of: object, at: slot)
    }
    if let inverse {
      if let former { reporter.turn.noteEnd(former, inverse.slot) }
      if let target { reporter.turn.noteEnd(target.key, inverse.slot) }
      if inverse.kind == .orderedToMany, let former {
        setPosition(.absent, at: LinkPlace(inverse.number, former), to: object.key)
      }
    }
    putToOneKey(target?.key, of: object, at: slot)
    if let target, let inverse, inverse.kind == .orderedToMany {
      putLast(object, in: target, inverse.slot)
    }
  }

  /// Sets the other end of a one-to-one link, also if a stale object shows it already and others
  /// have taken it away since.
  private func linkBack(_ object: ManagedObject, to key: ObjectKey, at slot: Int) {
    let isLinked =
      toOneKey(of: object, at: slot) == key
      && (registry.cache.isCurrent(object) || unseenPartner(of: object, at: slot) == key)
    if !isLinked { putToOneKey(key, of: object, at: slot) }
  }

  /// Sets the slot of a one-to-one link to nil at its other end, if it leads to `object`. Before
  /// the changes of two contexts are saved, the other end may have another partner.
  func letGo(of object: ManagedObject, _ key: ObjectKey, at slot: Int) {
    if let partner = loader.instance(of: key), toOneKey(of: partner, at: slot) == object.key {
      setToOneKey(nil, of: partner, at: slot)
    }
  }

  /// The partner that an object has beneath this context, if it may differ from the shown one: it
  /// was edited here, or others have changed it since it was read.
  func unseenPartner(of object: ManagedObject, at slot: Int) -> ObjectKey? {
    let isAsRead = object.status == .clean && registry.cache.isCurrent(object)
    // Only undo inserts an object again that may be there beneath.
    if isAsRead || object.status == .inserted && work.undoRecorder == nil { return nil }
    return reader.targetBeneath(object, at: slot)
  }

  // MARK: - To-many

  /// The members of a to-many relationship, in its order.
  func members(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> [ReadView.Member] {
    guard object.isPresent else { return [] }
    if let kept = keptMembers(of: object, relationship) { return kept.all }
    return reporter.attempt(orElse: []) { try readMembers(of: object, relationship) }
  }

  /// The number of members of a to-many relationship; of an unordered one, at most `limit`.
  func memberCount(
    of object: ManagedObject, _ relationship: RelationshipSchema, upTo limit: Int
  ) -> Int {
    if relationship.isOrdered { return members(of: object, relationship).count }
    guard object.isPresent else { return 0 }
    return reporter.attempt(orElse: 0) {
      try reader.currentViewIncludingEdits().memberCount(
        of: relationship, owner: object.key, upTo: limit)
    }
  }

  /// The objects at the other end of a relationship of either kind, as the view has them.
  func targetKeys(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) throws -> [ObjectKey] {
    guard relationship.isToMany else {
      return toOneKey(of: object, at: relationship.slot).map { [$0] } ?? []
    }
    return try reader.currentViewIncludingEdits()
      .members(of: relationship, owner: object.key).map(\.key)
  }

  /// The members as the view has them.
  func readMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) throws -> [ReadView.Member] {
    let members = try reader.currentViewIncludingEdits().members(
      of: relationship, owner: object.key)
    guard relationship.isOrdered else { return members }
    // A list is a collection: it has as many members as it says.
    let family = schema.entity(relationship.destination)?.family ?? []
    return members.filter { family.contains($0.key.entity) }
  }

  /// Whether `target` is one of `members(of:_:)`, looked up by itself: O(log entries), however many
  /// members there are.
  func isMember(
    _ target: ManagedObject, of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> Bool {
    registry.requireOwn(target)
    guard object.isPresent, target.isPresent, canLead(relationship, to: target) else {
      return false
    }
    return reporter.attempt(orElse: false) {
      switch relationship.storage {
      case .slot: return toOneKey(of: object, at: relationship.slot) == target.key
      case .inverseSlot(_, let slot): return try linkedKey(of: target, at: slot) == object.key
      case .links(let number, _):
        let place = LinkPlace(number, object.key)
        guard try linkState(at: place, to: target.key) != .absent else { return false }
        // An end that was linked here is there, though it may not be encoded yet.
        return try work.edits.links.state(at: place, to: target.key)?.isWhole == true
          || reader.currentView().exists(target.key)
      }
    }
  }

  /// Whether a relationship may lead to an object of the target's entity: its destination, or one
  /// that inherits from it.
  @inline(__always)
  private func canLead(_ relationship: RelationshipSchema, to target: ManagedObject) -> Bool {
    target.key.entity == relationship.destination
      || schema.canLead(relationship, to: target.key.entity)
  }

  /// Whether the link is there, be it from or to an object that is deleted: a rule may have left
  /// it.
  private func hasLink(
    _ object: ManagedObject, to target: ManagedObject, at place: LinkPlace
  ) -> Bool {
    guard object.isPresent, target.isAlive else { return false }
    return reporter.attempt(orElse: false) {
      try linkState(at: place, to: target.key) != .absent
    }
  }

  /// The state of a link with the edits of the turn.
  func linkState(at place: LinkPlace, to target: ObjectKey) throws -> LinkState {
    let edited = work.edits.links.state(at: place, to: target)
    if let edited, edited.isWhole { return edited }
    let state = try reader.currentView().link(at: place, to: target)
    return edited?.applied(over: state) ?? state
  }

  /// Links `target`, which is not a member; no other member is loaded. A link that lacks an end is
  /// dropped, and the slot of the end that is there becomes nil.
  ///
  /// - Precondition: the target is of this context, and of the relationship's destination.
  func link(
    _ object: ManagedObject, to target: ManagedObject, _ relationship: RelationshipSchema,
    position: UInt64 = 0
  ) {
    registry.requireOwn(target)
    require(
      canLead(relationship, to: target),
      "“\(object.binding.entity.description.name).\(relationship.name)” may not have the member "
        + "\(target.objectID.named), which is of another entity: check objectID.entityName first.")
    reader.prepareToRelate()
    guard isThere(target) else { return }
    for end in [object, target] where !registry.cache.isCurrent(end) {
      work.edits.outdated.append(end.key)
    }
    switch relationship.storage {
    case .slot: break
    case .inverseSlot(_, let slot):
      if target.isFault { loader.fire(target) }
      guard target.isAlive else { return }
      guard isThere(object) else { return setToOne(nil, of: target, at: slot) }
      let former: ObjectKey?
      do { former = try linkedKey(of: target, at: slot) } catch {
        reporter.note(error)
        return
      }
      if relationship.isOrdered {
        // First, so that the member is known to have its place when it becomes one.
        if registry.observed != nil {
          registry.linksWillChange(relationship.number, of: object.key)
        }
        setPosition(
          .present(position: position), at: LinkPlace(relationship.number, object.key),
          to: target.key)
      }
      relate(target, at: slot, from: former, to: object)
    case .links(let number, let mirror):
      guard isThere(object) else { return }
      // In an ordered inverse the new link comes last.
      let isMirrorOrdered = relationship.inverse?.kind == .orderedToMany
      setLink(
        .present(position: position), number, mirror: mirror, from: object.key, to: target.key,
        mirrored: .present(position: isMirrorOrdered ? ListPosition.unnumbered : 0))
    }
    reporter.noteTouched()
  }

  func unlink(
    _ object: ManagedObject, from target: ManagedObject, _ relationship: RelationshipSchema
  ) {
    registry.requireOwn(target)
    reader.prepareToRelate()
    switch relationship.storage {
    case .slot: break
    case .inverseSlot(_, let slot):
      guard canLead(relationship, to: target),
        isMember(target, of: object, relationship) || toOneKey(of: target, at: slot) == object.key
      else { return }
      relate(target, at: slot, from: object.key, to: nil)
    case .links(let number, let mirror):
      guard hasLink(object, to: target, at: LinkPlace(number, object.key)) else { return }
      setLink(.absent, number, mirror: mirror, from: object.key, to: target.key)
    }
    reporter.noteTouched()
  }

  /// Notes a link's new state in both directions. Both ends count as updated.
  ///
  /// - Parameter mirrored: the state in the direction of the inverse, if it is another.
  func setLink(
    _ state: LinkState, _ number: PropertyNumber, mirror: PropertyNumber, from owner: ObjectKey,
    to target: ObjectKey, mirrored: LinkState? = nil
  ) {
    if registry.observed != nil {
      registry.linksWillChange(number, of: owner)
      registry.linksWillChange(mirror, of: target)
    }
    let (place, mirrorPlace) = (LinkPlace(number, owner), LinkPlace(mirror, target))
    let isReturn = isUnsaved(at: place, to: target)
    setPosition(state, at: place, to: target)
    setPosition(mirrored ?? state, at: mirrorPlace, to: owner)
    if isReturn {
      let isAsBefore =
        isBeneath(state, at: place, to: target)
        && isBeneath(mirrored ?? state, at: mirrorPlace, to: owner)
      work.edits.note(isAsBefore: isAsBefore, at: place, to: target)
      work.edits.note(isAsBefore: isAsBefore, at: mirrorPlace, to: owner)
    }
    reporter.turn.updated.append(owner)
    reporter.turn.updated.append(target)
    reporter.noteTouched()
  }

  // MARK: - Links that came and went

  /// Whether anything is unsaved of a link.
  private func isUnsaved(at place: LinkPlace, to target: ObjectKey) -> Bool {
    work.edits.links.state(at: place, to: target) != nil
      || work.working.link(at: place, to: target) != nil
  }

  /// Whether a link has this state without the context's own unsaved changes, but with those that a
  /// save under way carries. A member that is put back into an ordered relationship has been put
  /// where it is: that is a change at any position.
  private func isBeneath(_ state: LinkState, at place: LinkPlace, to target: ObjectKey) -> Bool {
    if case .present(let position) = state, position != 0 { return false }
    return reporter.attempt(orElse: false) {
      try reader.currentView().over(work.working.frozen).link(at: place, to: target) == state
    }
  }
}
