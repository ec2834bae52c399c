// SPDX-License-Identifier: Apache-2.0

extension ContextOracle {
  /// Whether an operation has a meaning now; a sequence passes over those that have none.
  package func isPossible(_ operation: Operation) -> Bool {
    let place = operation.place
    let own = edits[place.rawValue]
    let key = operation.key ?? 0
    if operation.isTakenBack, isSaving(place) { return false }
    switch operation.name {
    case .set: return shows(place, key) != nil
    case .code: return isCodePossible(operation)
    case .link, .part, .pair:
      guard shows(place, key) != nil, operation.target != key else { return false }
      return operation.target.map { shows(place, $0) != nil && look(place, $0) != nil } ?? true
    case .like, .unlike, .stop, .lead, .unstop: return isChangeOfMembersPossible(operation)
    // A first insertion may ask the store for a block of serials, and the writer is held.
    case .insert: return !isUsed(key) && !isSaving
    case .delete: return shows(place, key) != nil && look(place, key) != nil
    case .hold:
      return held[place.rawValue][key] == nil && own[key] == nil && look(place, key) != nil
    case .release: return held[place.rawValue][key] != nil
    case .read: return isUsed(key)
    case .fetch: return true
    // An object that is refreshed while it is being saved, is so when the save is finished.
    case .merge: return !isPinned(place) && !isSaving(place)
    case .revert, .refresh, .refreshAll: return isRefreshPossible(operation)
    // While a save is under way, a rollback waits for it.
    case .rollback: return hasEdits(place) && !isSaving(place)
    case .reset: return !isSaving(place)
    case .undo: return undoStacks[place.rawValue]?.undo.isEmpty == false && !isSaving(place)
    case .redo: return undoStacks[place.rawValue]?.redo.isEmpty == false && !isSaving(place)
    case .pin, .unpin: return !isSaving
    case .save:
      return hasEdits(place) && !isSaving(place) && !(place.isRoot && isSaving) && !isWaiting(place)
    // Checked saves to a parent in the midst of a turn are not drawn.
    case .hand:
      return hasEdits(place) && !isSaving(place) && !place.isRoot && checked[place] == nil
    case .through: return isSaveThroughPossible(place)
    case .begin:
      guard place.isRoot else { return isSaveThroughPossible(place) }
      return own.contains { $0 != nil } && !isSaving
    case .finish: return saving?.saver == place
    }
  }

  /// Undo in ancestors is not compared. Nothing tells in which list a member was moved.
  private func isSaveThroughPossible(_ place: Place) -> Bool {
    let levels = [place] + place.above
    return !place.isRoot && !isSaving && levels.contains(where: hasEdits)
      && !levels.contains { undoStacks[$0.rawValue] != nil || moves.contains($0) }
  }

  private func isCodePossible(_ operation: Operation) -> Bool {
    let (place, key) = (operation.place, operation.key ?? 0)
    // It is not documented whether a new object that is saved unchanged has a change if it had
    // another value in between.
    if let saving = frozen[place.rawValue][key], saving.kind == .insert,
      saving.shown?[.code] == operation.target ?? 0
    {
      return false
    }
    return shows(place, key) != nil
  }

  private func isChangeOfMembersPossible(_ operation: Operation) -> Bool {
    let (place, key) = (operation.place, operation.key ?? 0)
    guard let target = operation.target else { return false }
    guard look(place, key) != nil, look(place, target) != nil else { return false }
    guard operation.name == .stop || operation.name == .lead else { return true }
    // Only the list itself tells whether something has moved, and so can be undone.
    let isMove = links(place)[LinkSet.owner(of: key, ordered: true), target]
    // The position of a missing object is undefined.
    if isMove, isLost(place, key) || isLost(place, target) { return false }
    return !isMove || !([place] + place.above).contains { undoStacks[$0.rawValue] != nil }
  }

  private func isRefreshPossible(_ operation: Operation) -> Bool {
    let (place, key) = (operation.place, operation.key ?? 0)
    let own = edits[place.rawValue]
    switch operation.name {
    // A deleted object is left alone.
    case .refresh:
      if frozen[place.rawValue][key] != nil { return false }
      return own[key].map { $0.kind != .delete } ?? (shows(place, key) != nil)
    case .refreshAll:
      if isSaving(place) { return false }
      return !own.contains { $0?.kind == .delete }
    // Which half of a one-to-one link is taken back with one of its ends is not told anywhere; and
    // a new or deleted object is left alone.
    default:
      if isSaving(place), hasLinkChanges(place).may { return false }
      if frozen[place.rawValue][key]?.kind == .insert { return false }
      guard let edit = own[key], edit.kind == .update else { return false }
      return !Slot.pairs.contains { edit.set.slots.contains($0) }
    }
  }

  /// Whether a save to the store is under way.
  package var isSaving: Bool { saving != nil }

  /// Whether it has changes of the context itself.
  package func isSaving(_ place: Place) -> Bool { saving?.levels.contains(place) == true }

  func hasEdits(_ place: Place) -> Bool {
    edits[place.rawValue].contains { $0 != nil } || !linkEdits[place.rawValue].isEmpty
      || moves.contains(place) && !isPinned(place)
  }

  /// Whether the object was ever made.
  private func isUsed(_ key: Int) -> Bool { used.contains(key) }

  /// Does an operation as it is promised. A savepoint that throws takes no refresh back: objects
  /// keep the newer state beneath their unsaved changes.
  ///
  /// - Parameter value: the value of `set`.
  package mutating func perform(_ operation: Operation, value: Int, policy: Policy) -> Outcome {
    let before = self
    let outcome = carryOut(operation, value: value, policy: policy)
    if operation.isTakenBack, operation.name != .refresh, operation.name != .refreshAll {
      let used = used
      self = before
      self.used = used
    } else {
      record(operation, since: before)
    }
    noteDeletions(of: operation, since: before)
    return outcome
  }

  private mutating func carryOut(
    _ operation: Operation, value: Int, policy: Policy
  ) -> Outcome {
    let place = operation.place
    let key = operation.key ?? 0
    switch operation.name {
    case .set, .code, .link, .part, .pair: setValue(operation, value)
    case .like, .unlike, .stop, .lead, .unstop: changeMembers(operation)
    case .insert:
      used.insert(key)
      insert(place, key)
    case .delete: delete(place, key)
    case .hold: hold(place, key)
    case .release: release(place, key)
    case .read:
      if held[place.rawValue][key]?.isFault == true { renew(place, key) }
    case .fetch: readFaults(place)
    case .rollback: rollback(place)
    case .reset: reset(place)
    case .undo: undo(place)
    case .redo: redo(place)
    case .pin: pin(place)
    case .unpin:
      pins[place.rawValue] = nil
      settleMissed()
    case .revert: revert(place, key)
    case .refresh: refresh(place, key)
    case .refreshAll:
      for key in Self.keys {
        refresh(place, key)
        makeFault(place, key)
      }
    case .merge: merge(place)
    case .save:
      return place.isRoot ? saveToStore(place, policy) : push(place)
    case .through: return saveToStore(place, policy)
    case .hand: return push(place)
    case .begin: return begin(place)
    case .finish: return finish(policy)
    }
    return .saved
  }

  private mutating func setValue(_ operation: Operation, _ value: Int) {
    let (place, key) = (operation.place, operation.key ?? 0)
    let link = operation.target.map { $0 + 1 } ?? 0
    switch operation.name {
    case .code: set(place, key, .code, operation.target ?? 0)
    case .link: set(place, key, .owner, link)
    case .part: set(place, key, .whole, link)
    case .pair: set(place, key, .partner, link)
    default: if let slot = operation.slot { set(place, key, slot, value) }
    }
  }

  private mutating func changeMembers(_ operation: Operation) {
    guard let target = operation.target else { return }
    let (place, key) = (operation.place, operation.key ?? 0)
    switch operation.name {
    case .stop, .lead: stop(place, key, target)
    case .unstop: like(place, LinkSet.owner(of: key, ordered: true), target, false)
    default: like(place, key, target, operation.name == .like)
    }
  }

  // MARK: - Visible state

  /// A context's unsaved changes of an object, including changes of a save under way.
  package func unsaved(_ place: Place, _ key: Int) -> Kind? {
    let (top, below) = (edits[place.rawValue][key], frozen[place.rawValue][key])
    guard let top, let below else { return (top ?? below)?.kind }
    switch (below.kind, top.kind) {
    case (.insert, .delete): return nil
    case (.insert, _): return .insert
    case (_, .delete): return .delete
    default: return .update
    }
  }

  /// Whether a context shows the store's state of the object, and nothing older.
  package func isAsStored(_ place: Place, _ key: Int) -> Bool {
    if isHeld(place, key) { return false }
    var next: Place? = place
    while let here = next {
      if hasUnsaved(here, key) || pins[here.rawValue] != nil { return false }
      next = here.parent
    }
    return true
  }

  /// The objects whose to-one relationship leads to this one in the view of the turn, whatever held
  /// objects show.
  package func members(_ place: Place, of key: Int) -> Set<Int> {
    Set(Self.keys.filter { look(place, $0)?.values.target(.owner) == key })
  }

  package func liked(_ place: Place, by key: Int) -> Set<Int> {
    let links = links(place)
    return Set(Self.keys.filter { links[key, $0] })
  }

  package func likers(_ place: Place, of key: Int) -> Set<Int> {
    let links = links(place)
    return Set(Self.keys.filter { links[$0, key] })
  }

  package func storedMembers(_ key: Int) -> Set<Int> {
    Set(Self.keys.filter { store[$0]?.values.target(.owner) == key })
  }

  /// The members of a list, whatever their order.
  package func stops(_ place: Place, of key: Int) -> Set<Int> {
    let links = links(place)
    return Set(Self.keys.filter { links[LinkSet.owner(of: key, ordered: true), $0] })
  }

  package func storedStops(_ key: Int) -> Set<Int> {
    Set(Self.keys.filter { storedLinks[LinkSet.owner(of: key, ordered: true), $0] })
  }

  package func storedLikes(_ key: Int) -> Set<Int> {
    Set(Self.keys.filter { storedLinks[key, $0] })
  }

  /// The values that an object showed before the last operation deleted it.
  package func deletedAs(_ place: Place, _ key: Int) -> Values? {
    guard let deleted, deleted.place == place, unsaved(place, key) == .delete else { return nil }
    return deleted.values[key]
  }

  /// Whether the context's state of the object is on its way to the store.
  package func isOnItsWay(_ place: Place, _ key: Int) -> Bool {
    var next: Place? = place
    while let here = next {
      if frozen[here.rawValue][key] != nil { return true }
      next = here.parent
    }
    return false
  }

  /// Whether a context shows the object that a link leads to.
  package func isDangling(_ place: Place, _ values: Values, _ slot: Slot) -> Bool {
    values.target(slot).map { look(place, $0) == nil } ?? false
  }

  /// Whether an edit has cut one-to-one links and made them again: whether that is a change of an
  /// object is not told anywhere.
  package func isIdle(_ place: Place, _ key: Int) -> Bool {
    guard let edit = edits[place.rawValue][key], edit.kind == .update,
      frozen[place.rawValue][key] == nil, let on = edit.on, let shown = edit.shown
    else { return false }
    return Slot.allCases.allSatisfy { slot in
      !edit.set.slots.contains(slot) || slot.isPair && shown[slot] == on[slot]
    }
  }

  /// Whether objects that were new in the context were deleted there.
  package func hasVanished(_ place: Place) -> Bool { !vanished[place.rawValue].isEmpty }

  package func isPinned(_ place: Place) -> Bool { pins[place.rawValue] != nil }

  /// The properties that are set in an unsaved update.
  package func changedSlots(_ place: Place, _ key: Int) -> Slots {
    var slots = frozen[place.rawValue][key]?.set.slots ?? []
    slots.formUnion(edits[place.rawValue][key]?.set.slots ?? [])
    return slots
  }

  package func shown(_ place: Place, _ key: Int) -> Values? { shows(place, key) }
  package func published(_ place: Place, _ key: Int) -> Values? { look(place, key)?.values }
  package func isHeld(_ place: Place, _ key: Int) -> Bool { held[place.rawValue][key] != nil }
  package func stored(_ key: Int) -> Values? { store[key]?.values }
}
