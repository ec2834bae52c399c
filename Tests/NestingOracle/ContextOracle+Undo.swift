// SPDX-License-Identifier: Apache-2.0

// Undo: a group is the changes of one turn, or of one integrated save of a child. Undoing it sets
// back these changes, and nothing else.

extension ContextOracle {
  /// The groups that a context can undo and redo, the newest last.
  struct UndoStacks {
    var undo: [UndoGroup] = []
    var redo: [UndoGroup] = []
  }

  /// The changes of a group.
  struct UndoGroup {
    struct Change {
      var key: Int
      var before: Values?
      var after: Values?
      var edit: Edit?
    }

    var changes: [Change] = []
    /// The objects whose edits have no effect: undoing its other changes takes them back.
    var withoutEffect: Set<Int> = []
    struct Link {
      var owner: Int
      var target: Int
      var wasThere: Bool
    }

    /// The links of many to many that it changed.
    var links: [Link] = []

    var isEmpty: Bool { changes.isEmpty && links.isEmpty }
  }

  package mutating func recordsUndo(_ place: Place) { undoStacks[place.rawValue] = UndoStacks() }

  /// Makes a group of an operation's changes.
  mutating func record(_ operation: Operation, since before: ContextOracle) {
    let place = operation.place
    switch operation.name {
    case .set, .code, .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop, .insert, .delete:
      record(place, since: before)
    case .save, .hand:
      let sent = Self.keys.filter { before.edits[place.rawValue][$0] != nil }
      if let parent = place.parent { record(parent, since: before, sent: Set(sent)) }
    case .rollback, .reset:
      if undoStacks[place.rawValue] != nil { undoStacks[place.rawValue] = UndoStacks() }
    default: break
    }
  }

  private mutating func record(
    _ place: Place, since before: ContextOracle, sent: Set<Int> = []
  ) {
    guard undoStacks[place.rawValue] != nil else { return }
    var group = group(place, since: before)
    // A child's save is part of the group for each object that it sends, also if the parent had the
    // same values.
    group.withoutEffect.formUnion(sent.subtracting(group.changes.map(\.key)))
    if group.isEmpty { return }
    undoStacks[place.rawValue]?.undo.append(group)
    undoStacks[place.rawValue]?.redo = []
  }

  private func group(_ place: Place, since before: ContextOracle) -> UndoGroup {
    var group = UndoGroup()
    for key in Self.keys {
      let (old, new) = (before.edits[place.rawValue][key], edits[place.rawValue][key])
      if old?.kind == new?.kind, old?.set == new?.set, old?.shown == new?.shown { continue }
      // Undoing the deletion of an object that others have deleted since brings nothing back.
      if old?.kind == .delete, new == nil, look(place, key) == nil { continue }
      var was = before.shows(place, key)
      var now = shows(place, key)
      // An edit that has disappeared has changed the slots that it had set, whatever their values
      // are now.
      if new == nil, let old, old.kind != .insert, let on = old.on ?? old.lostOn { now = on }
      // A first edit may come with newer values of slots that it has not set.
      if old == nil, let new, new.kind != .insert, let on = new.on ?? new.lostOn { was = on }
      // One that comes back was not there, whatever a held object showed.
      if old == nil, before.look(place, key) == nil,
        new?.kind == .insert || before.vanished[place.rawValue].contains(key)
      {
        was = nil
      }
      if was == now {
        group.withoutEffect.insert(key)
        continue
      }
      group.changes.append(
        .init(
          key: key, before: was, after: now, edit: old ?? before.frozen[place.rawValue][key]))
    }
    // Also those that have gone with one of their ends.
    let deleted = Set(group.changes.filter { $0.after == nil }.map(\.key))
    let (was, now, wasShown) = (before.allLinks(place), allLinks(place), before.links(place))
    for owner in LinkSet.owners {
      for target in Self.keys
      where was[owner, target] != now[owner, target]
        || wasShown[owner, target]
          && !deleted.isDisjoint(with: [owner % Self.keyCount, target])
      {
        group.links.append(.init(owner: owner, target: target, wasThere: was[owner, target]))
      }
    }
    return group
  }

  mutating func undo(_ place: Place) {
    guard let group = undoStacks[place.rawValue]?.undo.popLast() else { return }
    let before = self
    takeBack(group, in: place)
    let done = self.group(place, since: before)
    if !done.isEmpty { undoStacks[place.rawValue]?.redo.append(done) }
    forgetLostLinks(of: group, in: place)
  }

  mutating func redo(_ place: Place) {
    guard let group = undoStacks[place.rawValue]?.redo.popLast() else { return }
    let before = self
    takeBack(group, in: place)
    let done = self.group(place, since: before)
    if !done.isEmpty { undoStacks[place.rawValue]?.undo.append(done) }
    forgetLostLinks(of: group, in: place)
  }

  private mutating func takeBack(_ group: UndoGroup, in place: Place) {
    let before = self
    let restored = group.changes.filter { $0.after == nil && look(place, $0.key) == nil }
    for change in restored { bringBack(change, in: place) }
    for change in restored { dropLostLinks(of: change.key, in: place) }
    for change in restored { repairPairs(change, in: place) }
    for change in group.changes {
      // One that has gone stays as it is, also if the program holds it.
      guard let was = change.before, let now = change.after, shows(place, change.key) != nil,
        look(place, change.key) != nil
      else { continue }
      for slot in Slot.stored where was[slot] != now[slot] {
        let target = slot.isLink ? was.target(slot) : nil
        if let target, look(place, target) == nil { continue }
        // The other end came back with its own half of the link: as it was when it was deleted, or
        // as a merge has found it since.
        let hasHalf = restored.contains { other in
          let edit = before.edits[place.rawValue][other.key]
          let values = edit?.kind == .delete ? edit?.on : other.before
          return other.key == target
            && (!slot.isPair || values?[slot.inverse] == change.key + 1)
        }
        if isLost(place, change.key) || hasHalf || !slot.isPair {
          put(place, change.key, slot, was[slot])
        } else {
          pairAgain(place, change.key, slot, was[slot])
        }
      }
    }
    for link in group.links where hasEnds(link, in: place) {
      like(place, link.owner, link.target, link.wasThere)
    }
    for change in group.changes where change.before == nil {
      guard look(place, change.key) != nil else { continue }
      delete(place, change.key)
    }
    // An object that equals its former state has no unsaved change any more: also one that loses a
    // link here, since an insertion at its other end is taken back.
    for key in Self.keys {
      guard let edit = edits[place.rawValue][key], edit.kind == .update,
        let on = edit.on ?? edit.lostOn, edit.shown == on,
        group.withoutEffect.contains(key) || group.changes.contains(where: { $0.key == key })
          || before.shows(place, key) != edit.shown
      else { continue }
      edits[place.rawValue][key] = nil
      if isHeld(place, key) {
        let read = VisibleState(values: on, reads: edit.reads, setters: edit.setters)
        let fresh = look(place, key)
        held[place.rawValue][key] = fresh?.values == on ? fresh : read
      }
    }
    // A removal of a link that is not there beneath is no change.
    var touched = LinkSet()
    for change in group.changes {
      touched.formUnion(linkEdits[place.rawValue].removed.touching(change.key))
    }
    for key in Self.keys where look(place, key) == nil { touched.remove(key) }
    linkEdits[place.rawValue].drop(touched, beneath: linksBeneath(place))
  }

  /// A one-to-one link is set back at both its ends. What others have linked beneath stays.
  private mutating func pairAgain(_ place: Place, _ key: Int, _ slot: Slot, _ value: Int) {
    let lost = shows(place, key)?.target(slot)
    put(place, key, slot, value)
    if let lost, shows(place, lost)?[slot.inverse] == key + 1 { put(place, lost, slot.inverse, 0) }
    guard value != 0, let former = shows(place, value - 1)?.target(slot.inverse), former != key
    else {
      if value != 0 { put(place, value - 1, slot.inverse, key + 1) }
      return
    }
    if shows(place, former)?[slot] == value { put(place, former, slot, 0) }
    put(place, value - 1, slot.inverse, key + 1)
  }

  private func hasEnds(_ link: UndoGroup.Link, in place: Place) -> Bool {
    look(place, link.owner % Self.keyCount) != nil && look(place, link.target) != nil
  }

  /// Whether an object is not there, and that is not a deletion of the context itself.
  private func isLost(_ key: Int, in place: Place) -> Bool {
    look(place, key) == nil && unsaved(place, key) != .delete
  }

  /// Of a link that has lost an end nothing stays.
  private mutating func forgetLostLinks(of group: UndoGroup, in place: Place) {
    for link in group.links
    where isLost(link.owner % Self.keyCount, in: place) || isLost(link.target, in: place) {
      linkEdits[place.rawValue].forget(link.owner, link.target)
    }
  }

  /// Whether an edit is of an object that is not there any more.
  func isLost(_ place: Place, _ key: Int) -> Bool {
    edits[place.rawValue][key]?.kind == .update && beneath(place, key) == nil
  }

  /// Links from a restored object to objects that have been deleted since and were not restored.
  private mutating func dropLostLinks(of key: Int, in place: Place) {
    guard let edit = edits[place.rawValue][key] else { return }
    for slot in Slot.links where edit.set.slots.contains(slot) {
      if let target = edit.shown?.target(slot), look(place, target) == nil {
        put(place, key, slot, 0)
      }
    }
  }

  /// Both ends of a one-to-one link agree, also if one of them was shown without it.
  private mutating func repairPairs(_ change: UndoGroup.Change, in place: Place) {
    let key = change.key
    for slot in Slot.pairs {
      guard edits[place.rawValue][key]?.set.slots.contains(slot) == true,
        let target = change.before?.target(slot), shows(place, key)?.target(slot) == target,
        look(place, target) != nil, let end = shows(place, target), end[slot.inverse] != key + 1
      else { continue }
      if let other = end.target(slot.inverse), shows(place, other) != nil {
        put(place, other, slot, 0)
      }
      put(place, target, slot.inverse, key + 1)
    }
  }

  /// An object that the group deleted.
  private mutating func bringBack(_ change: UndoGroup.Change, in place: Place) {
    guard let values = change.before else { return }
    let isHidden = vanished[place.rawValue].remove(change.key) != nil
    if let edit = edits[place.rawValue][change.key], edit.kind == .delete {
      guard let old = change.edit, let on = edit.on else {
        edits[place.rawValue][change.key] = change.edit
        return
      }
      edits[place.rawValue][change.key] = Edit(
        kind: .update, set: old.set.withoutDerived, shown: old.set.withoutDerived.over(on),
        reads: edit.reads, setters: edit.setters, on: on)
    } else if isHidden || look(place, change.key) == nil {
      edits[place.rawValue][change.key] = Edit(
        kind: .insert, set: Delta(values), shown: values, reads: [], on: nil)
    }
  }
}
