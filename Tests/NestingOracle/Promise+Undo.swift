// SPDX-License-Identifier: Apache-2.0

// Undo: a group is what one turn did, or one save of a child that landed. Undoing it sets back what it
// changed, and nothing else.

extension Promise {
  /// What a context can undo and redo, the newest last.
  struct UndoStacks {
    var undo: [UndoGroup] = []
    var redo: [UndoGroup] = []
  }

  /// What a group changed.
  struct UndoGroup {
    struct Change {
      var key: Int
      var before: Values?
      var after: Values?
      var edit: Edit?
    }

    var changes: [Change] = []
    /// The links of many to many that it changed, and whether they were there.
    var links: [(owner: Int, target: Int, wasThere: Bool)] = []

    var isEmpty: Bool { changes.isEmpty && links.isEmpty }
  }

  package mutating func recordsUndo(_ place: Place) { undoStacks[place.rawValue] = UndoStacks() }

  /// Makes a group of what an operation has done.
  mutating func record(_ operation: Operation, since before: Promise) {
    let place = operation.place
    switch operation.name {
    case .set, .code, .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop, .insert, .delete:
      record(place, since: before)
    case .save, .hand: if let parent = place.parent { record(parent, since: before) }
    case .rollback, .reset:
      if undoStacks[place.rawValue] != nil { undoStacks[place.rawValue] = UndoStacks() }
    default: break
    }
  }

  private mutating func record(_ place: Place, since before: Promise) {
    guard undoStacks[place.rawValue] != nil else { return }
    let group = group(place, since: before)
    if group.isEmpty { return }
    undoStacks[place.rawValue]?.undo.append(group)
    undoStacks[place.rawValue]?.redo = []
  }

  private func group(_ place: Place, since before: Promise) -> UndoGroup {
    var group = UndoGroup()
    for key in Self.keys {
      let (old, new) = (before.edits[place.rawValue][key], edits[place.rawValue][key])
      if old?.kind == new?.kind, old?.set == new?.set, old?.shown == new?.shown { continue }
      let was = before.shows(place, key)
      var now = shows(place, key)
      // An edit that is no more of an object that is gone beneath is no deletion.
      if now == nil, new == nil, let old, old.kind == .update { now = old.on }
      if was == now { continue }
      group.changes.append(.init(key: key, before: was, after: now, edit: old))
    }
    let (was, now) = (before.links(place), links(place))
    if was == now { return group }
    for owner in LinkSet.owners {
      for target in Self.keys where was[owner, target] != now[owner, target] {
        group.links.append((owner, target, was[owner, target]))
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
  }

  mutating func redo(_ place: Place) {
    guard let group = undoStacks[place.rawValue]?.redo.popLast() else { return }
    let before = self
    takeBack(group, in: place)
    let done = self.group(place, since: before)
    if !done.isEmpty { undoStacks[place.rawValue]?.undo.append(done) }
  }

  private mutating func takeBack(_ group: UndoGroup, in place: Place) {
    for change in group.changes where change.after == nil { bringBack(change, in: place) }
    for change in group.changes {
      guard let was = change.before, let now = change.after, shows(place, change.key) != nil
      else { continue }
      for slot in Slot.stored where was[slot] != now[slot] {
        if let target = was.target(slot), slot.isLink, look(place, target) == nil { continue }
        set(place, change.key, slot, was[slot])
      }
    }
    for link in group.links
    where look(place, link.owner % Self.keyCount) != nil && look(place, link.target) != nil {
      like(place, link.owner, link.target, link.wasThere)
    }
    for change in group.changes where change.before == nil {
      guard look(place, change.key) != nil else { continue }
      let kind = edits[place.rawValue][change.key]?.kind
      if kind == .update, beneath(place, change.key) == nil {
        // The edit of an object that others have deleted.
        edits[place.rawValue][change.key] = nil
      } else {
        delete(place, change.key)
      }
    }
    // What is as it was before has no unsaved change any more.
    for key in Self.keys {
      guard let edit = edits[place.rawValue][key], edit.kind == .update, let on = edit.on,
        edit.shown == on, group.changes.contains(where: { $0.key == key })
      else { continue }
      edits[place.rawValue][key] = nil
      if isHeld(place, key) {
        held[place.rawValue][key] = Sight(values: on, reads: edit.reads, setters: edit.setters)
      }
    }
  }

  /// An object that the group deleted.
  private mutating func bringBack(_ change: UndoGroup.Change, in place: Place) {
    guard var values = change.before else { return }
    if let edit = edits[place.rawValue][change.key], edit.kind == .delete {
      guard let old = change.edit, let on = edit.on else {
        edits[place.rawValue][change.key] = nil
        return
      }
      edits[place.rawValue][change.key] = Edit(
        kind: old.kind, set: old.set, shown: old.set.over(on), reads: edit.reads,
        setters: edit.setters, on: on)
    } else if look(place, change.key) == nil {
      for slot in Slot.links {
        if let target = values.target(slot), look(place, target) == nil { values[slot] = 0 }
      }
      edits[place.rawValue][change.key] = Edit(
        kind: .insert, set: Delta(values), shown: values, reads: [], on: nil)
    }
  }
}
