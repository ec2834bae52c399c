// SPDX-License-Identifier: Apache-2.0

// A save to a parent context.

extension ContextOracle {
  mutating func push(_ place: Place) {
    guard let parent = place.parent else { return }
    let batch = edits[place.rawValue]
    let former = Set(Self.keys.filter { hasUnsaved(parent, $0) })
    let deleted = Self.keys.filter { batch[$0]?.kind == .delete && look(parent, $0) != nil }
    let lost = Self.keys.filter { look(parent, $0) == nil && batch[$0]?.kind != .insert }
    edits[place.rawValue] = Array(repeating: nil, count: Self.keyCount)
    vanished[place.rawValue] = []
    for key in Self.keys {
      if let edit = batch[key] { push(edit, of: key, onto: parent) }
    }
    settleLinks(of: batch, deleting: deleted, over: former, in: parent)
    pushLinks(place, deleting: deleted, lost, onto: parent)
    for key in Self.keys {
      guard let edit = batch[key] else { continue }
      if edit.kind == .delete {
        held[place.rawValue][key] = nil
      } else if held[place.rawValue][key] != nil {
        // The parent's present state is the state that the context has read, as if it read it
        // again.
        let now = look(parent, key)
        held[place.rawValue][key] = now?.values == edit.shown ? now : edit.visible
      }
    }
    for key in Self.keys { land(parent, key) }
    if pins[place.rawValue] != nil { pin(place) }
  }

  /// The receiver's held objects take the pushed state.
  mutating func land(_ place: Place, _ key: Int) {
    if edits[place.rawValue][key] != nil { renew(place, key) }
  }

  private mutating func push(_ edit: Edit, of key: Int, onto place: Place) {
    let (own, under) = (edits[place.rawValue][key], look(place, key))
    func keep(_ result: Edit?) { edits[place.rawValue][key] = result }
    switch edit.kind {
    case .update:
      if var own {
        guard own.kind != .delete else { return }
        own = own.taking(edit)
        own.set = own.set.under(edit.set)
        own.shown = own.shown.map { edit.set.over($0) }
        keep(own)
      } else if let under {
        var edit = edit
        edit.note(under)
        edit.shown = edit.set.over(under.values)
        edit.on = under.values
        edit.wasPushed = true
        keep(edit)
      } else if !isDeletedAboveStore(place, key), !automatic.contains(place) || isPinned(place),
        let oldest = Slot.allCases.filter(edit.set.slots.contains).flatMap(edit.reads(of:))
          .filter({ $0.version != 0 }).min(by: { $0.version < $1.version }),
        let was = oldest.was
      {
        // It went from the store, and the store decides. The edit shows the object again.
        vanished[place.rawValue].remove(key)
        var edit = edit
        edit.shown = edit.set.over(was)
        (edit.on, edit.lostOn) = (nil, was)
        keep(edit)
      }
    case .insert:
      vanished[place.rawValue].remove(key)
      if own == nil, look(place, key) == nil { return keep(edit) }
      var edit = edit
      edit.kind = own?.kind == .insert ? .insert : .update
      edit.reads = own?.reads ?? under?.reads ?? []
      edit.setters = own?.setters ?? under?.setters ?? [:]
      edit.on = own == nil ? under?.values : own?.on
      keep(edit)
    case .delete:
      if let own {
        if own.kind == .delete { return }
        guard own.kind != .insert else {
          held[place.rawValue][key] = nil
          vanished[place.rawValue].insert(key)
          return keep(nil)
        }
        let reader = edit.isMade(from: own) ? own : edit
        keep(
          Edit(
            kind: .delete, set: .none, shown: nil, reads: reader.reads, setters: reader.setters,
            on: own.on))
      } else if let under {
        var edit = edit
        edit.on = under.values
        edit.wasPushed = true
        keep(edit)
      }
    }
  }

  /// Links with an end that is not there are dropped, and of two one-to-one links at one end the
  /// receiver's gives way.
  private mutating func settleLinks(
    of batch: [Edit?], deleting deleted: [Int], over former: Set<Int>, in place: Place
  ) {
    // The delete rules, on objects that the sender did not see.
    for key in deleted {
      reachUnsaved(place, from: key) { _, slot, other in
        former.contains(other) && batch[other]?.set.slots.contains(slot) != true
      }
    }
    for key in Self.keys {
      guard let edit = edits[place.rawValue][key], let shown = edit.shown else { continue }
      for slot in Slot.links where batch[key]?.set.slots.contains(slot) == true {
        if let target = shown.target(slot), look(place, target) == nil { put(place, key, slot, 0) }
      }
    }
    for key in Self.keys {
      guard let edit = batch[key], edit.kind != .delete, let mine = edits[place.rawValue][key]
      else { continue }
      for slot in Slot.pairs where edit.set.slots.contains(slot) {
        let partner = mine.shown?.target(slot)
        for other in Self.keys
        where other != key && hasUnsaved(place, other)
          && batch[other]?.set.slots.contains(slot.inverse) != true
        {
          guard let back = look(place, other)?.values.target(slot.inverse),
            (back == key) != (other == partner)
          else { continue }
          put(place, other, slot.inverse, 0)
        }
      }
    }
  }
}

extension ContextOracle.Edit {
  /// The makers had read an object that was in no store, and the store has it now.
  fileprivate mutating func note(_ under: ContextOracle.VisibleState) {
    guard under.setters.isEmpty, under.reads.count == 1, let stored = under.reads.first,
      stored.version > 0, stored.above.isEmpty, reads.first?.version == 0
    else { return }
    func known(_ reading: ContextOracle.Reading) -> ContextOracle.Reading {
      guard reading.version == 0, let last = reading.above.last else { return reading }
      let place = reading.above.firstIndex { $0.isSame(as: under.values) }
      guard let place else { return ContextOracle.Reading(version: .max, was: last, above: []) }
      return ContextOracle.Reading(
        version: stored.version, was: stored.was, above: Array(reading.above[(place + 1)...]))
    }
    reads = reads.map(known)
    setters = setters.mapValues { $0.map(known) }
  }
}
