// SPDX-License-Identifier: Apache-2.0

// A save to a parent context.

extension ContextOracle {
  private struct Refused: Error {}

  /// Hands the unsaved edits of a context to its parent. A checked save that is refused changes
  /// nothing.
  mutating func push(_ place: Place) -> Outcome {
    guard let parent = place.parent else { return .saved }
    let sent = edits[place.rawValue]
    var (batch, decided) = (sent, Set<Int>())
    if let policy = checked[place], policy != .object {
      do {
        (batch, decided) = try check(sent, onto: parent, policy)
        if policy == .error { try checkLinks(of: place, sent, to: parent) }
      } catch {
        return .conflict
      }
    }
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
      guard let edit = sent[key] else { continue }
      if decided.contains(key) {
        makeFault(place, key)
      } else if edit.kind == .delete {
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
    return .saved
  }

  /// The edits that a checked save hands over, and the objects on which the policy was asked. The
  /// save merges onto the parent's state and saves the result: edits without a conflict count as
  /// made from that state.
  private func check(
    _ sent: [Edit?], onto place: Place, _ policy: Policy
  ) throws(Refused) -> (batch: [Edit?], decided: Set<Int>) {
    var (batch, decided) = (sent, Set<Int>())
    for key in Self.keys {
      guard let edit = sent[key], edit.kind != .insert, edit.on ?? edit.lostOn != nil else {
        continue
      }
      let theirs = look(place, key)
      if theirs == nil, edit.kind == .delete { continue }
      if let theirs, !edit.isInConflict(with: theirs.values) {
        batch[key] = edit.made(from: theirs)
      } else {
        batch[key] = try decide(policy, edit, theirs)
        decided.insert(key)
      }
    }
    return (batch, decided)
  }

  /// A new link to an object that the store has lost is a conflict, too. One that the parent or a
  /// context above it has deleted is none: the link is dropped.
  private func checkLinks(
    of place: Place, _ sent: [Edit?], to parent: Place
  ) throws(Refused) {
    func isLost(_ key: Int) -> Bool {
      sent[key] == nil && look(parent, key) == nil && !isDeletedAboveStore(parent, key)
        && !vanished[parent.rawValue].contains(key)
    }
    for key in Self.keys {
      if linkEdits[place.rawValue].added.touches(key), isLost(key) { throw Refused() }
      guard let edit = sent[key], let shown = edit.shown else { continue }
      for slot in Slot.links where edit.set.slots.contains(slot) {
        if let target = shown.target(slot), isLost(target) { throw Refused() }
      }
    }
  }

  /// The edit of the parent's state that the policy makes of one in conflict; nil for none.
  private func decide(
    _ policy: Policy, _ edit: Edit, _ theirs: VisibleState?
  ) throws(Refused) -> Edit? {
    if policy == .error { throw Refused() }
    guard let theirs else {
      guard policy == .overwrite, var shown = edit.shown else { return nil }
      for slot in Slot.pairs where !edit.set.slots.contains(slot) { shown[slot] = 0 }
      return Edit(kind: .insert, set: Delta(shown), shown: shown, reads: [], on: nil)
    }
    if edit.kind == .delete { return policy.keepsTheirs ? nil : edit.made(from: theirs) }
    guard let ours = edit.shown else { return nil }
    var values = theirs.values
    for slot in Slot.stored {
      let isSet = edit.set.slots.contains(slot)
      let isOurs =
        switch policy {
        case .overwrite: true
        case .object: isSet
        case .store: isSet && edit.wasShown(theirs.values[slot], of: slot)
        case .rollback, .error: false
        }
      // The policy does not decide on half of a one-to-one link.
      if slot.isPair ? isSet : isOurs { values[slot] = ours[slot] }
    }
    var result = Edit(
      kind: .update, set: .none, shown: theirs.values, reads: theirs.reads,
      setters: theirs.setters, on: theirs.values)
    for slot in Slot.stored where values[slot] != theirs.values[slot] {
      result.set.set(slot, values[slot])
      result.shown?[slot] = values[slot]
    }
    return result.set.slots.isEmpty ? nil : result
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
  /// Whether the parent has another value of a property that this edit sets than its setter was
  /// shown; of any property, if it deletes the object.
  fileprivate func isInConflict(with theirs: Values) -> Bool {
    Slot.stored.contains {
      (kind == .delete || set.slots.contains($0)) && !wasShown(theirs[$0], of: $0)
    }
  }

  /// Whether the setters of a property were shown a value.
  fileprivate func wasShown(_ value: Int, of slot: Slot) -> Bool {
    reads(of: slot).allSatisfy { ($0.above.last ?? $0.was)?[slot] == value }
  }

  /// The same edit, made from another state.
  fileprivate func made(from state: ContextOracle.VisibleState) -> Self {
    var edit = self
    edit.shown = kind == .delete ? nil : set.over(state.values)
    (edit.reads, edit.setters, edit.on) = (state.reads, state.setters, state.values)
    (edit.lostOn, edit.wasPushed) = (nil, false)
    return edit
  }

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
