// SPDX-License-Identifier: Apache-2.0

/// The result for an object that two saves have changed.
package enum Policy: String, CaseIterable, Sendable {
  case error, store, object, overwrite, rollback
}

// The store's decision on a save, and its effect on the readings of others.

extension ContextOracle {
  package enum Outcome: Sendable { case saved, conflict }

  struct Conflict: Error {}

  /// The store's state of each object afterwards; nil for none.
  func decided(_ saved: [Edit?], _ policy: Policy) throws(Conflict) -> [Int: Values?] {
    var after: [Int: Values?] = [:]
    for key in Self.keys {
      guard let edit = saved[key] else { continue }
      let theirs = store[key]
      if theirs == nil, edit.kind == .delete { continue }
      if theirs == nil, edit.kind == .insert {
        after[key] = .some(edit.shown)
        continue
      }
      if let theirs, edit.kind != .insert, edit.isMade(on: theirs) {
        after[key] = .some(edit.kind == .delete ? nil : edit.set.over(theirs.values))
      } else {
        after[key] = .some(try decide(policy, edit, theirs?.values))
      }
    }
    keepOrCascade(&after, saved, policy)
    try mend(&after, policy)
    try checkCodes(after, policy)
    return after
  }

  /// The merge policy's word on an object in conflict.
  private func decide(
    _ policy: Policy, _ edit: Edit, _ theirs: Values?
  ) throws(Conflict) -> Values? {
    if policy == .error { throw Conflict() }
    if edit.kind == .delete { return policy == .store || policy == .rollback ? theirs : nil }
    if policy == .overwrite { return edit.shown }
    // Nothing is there to merge a few properties into.
    guard let theirs, policy != .rollback else { return theirs }
    let ours = edit.set.over(theirs)
    var result = theirs
    for slot in Slot.allCases where edit.set.slots.contains(slot) {
      if policy == .object || !edit.isChanged(slot, in: theirs) { result[slot] = ours[slot] }
    }
    return result
  }

  /// If others have linked to an object that this save deletes, the deletion gives way to the
  /// store, or its rule goes on to the linked objects. A save that deletes an object itself makes
  /// no new links to it.
  private func keepOrCascade(
    _ after: inout [Int: Values?], _ saved: [Edit?], _ policy: Policy
  ) {
    guard policy != .error else { return }
    var isSettled = false
    while !isSettled {
      isSettled = true
      var state = store.map { $0?.values }
      for (key, values) in after { state[key] = values }
      for key in Self.keys where after[key] == .some(nil) && store[key] != nil {
        for other in Self.keys where other != key {
          guard let values = state[other] else { continue }
          if policy.keepsTheirs, Slot.links.contains(where: { values.target($0) == key }) {
            after[key] = nil
            isSettled = false
          } else if !policy.keepsTheirs, values.target(.whole) == key,
            saved[key]?.kind != .delete || store[other]?.values.target(.whole) == key
          {
            after[other] = .some(nil)
            isSettled = false
          }
          if !isSettled { break }
        }
        if !isSettled { break }
      }
    }
  }

  /// Links that have lost an end, one-to-one links with two: a conflict, or they become nil.
  private func mend(_ after: inout [Int: Values?], _ policy: Policy) throws(Conflict) {
    var state = store.map { $0?.values }
    for (key, values) in after { state[key] = values }
    for key in Self.keys {
      for slot in Slot.links {
        guard let target = state[key]?.target(slot) else { continue }
        if let end = state[target], !slot.isPair || end.target(slot.inverse) == key { continue }
        // Half of a one-to-one link is no edit.
        if policy == .error, state[target] == nil { throw Conflict() }
        state[key]?[slot] = 0
        after[key] = .some(state[key])
      }
    }
  }

  /// A new link with a missing end is a conflict, or is dropped; the links of deleted objects are
  /// removed.
  func decided(
    _ links: LinkEdits, _ after: [Int: Values?], _ policy: Policy
  ) throws(Conflict) -> LinkSet {
    var result = links.over(storedLinks)
    for key in Self.keys {
      let isThere = after[key].map { $0 != nil } ?? (store[key] != nil)
      if isThere { continue }
      if policy == .error, links.added.touches(key) { throw Conflict() }
      result.remove(key)
    }
    return result
  }

  /// No two objects have one code.
  private func checkCodes(_ after: [Int: Values?], _ policy: Policy) throws(Conflict) {
    guard policy == .error else { return }
    var codes: Set<Int> = []
    for key in Self.keys {
      let values = after[key].map { $0 } ?? store[key]?.values
      guard let code = values?[.code], code != 0 else { continue }
      if !codes.insert(code).inserted { throw Conflict() }
    }
  }

  /// Values that are derived from others follow the store's own state.
  ///
  /// - Returns: the objects whose derived values have changed.
  mutating func count() -> [Int] {
    var changed: [Int] = []
    for key in Self.keys where store[key] != nil {
      let count = storedMembers(key).count
      if store[key]?.values[.memberCount] == count { continue }
      store[key]?.values[.memberCount] = count
      changed.append(key)
    }
    return changed
  }

  mutating func write(_ after: [Int: Values?]) {
    let next = version + 1
    for (key, values) in after {
      if let values {
        if let old = store[key], old.values.isSame(as: values) { continue }
        store[key] = Stored(version: next, values: values.derived)
      } else {
        store[key] = nil
      }
      version = next
    }
  }

  /// Whether a context sees no change of an ancestor, because of a pin beneath it.
  private func isPinned(_ below: Place, beneath ancestor: Place) -> Bool {
    var next: Place? = below
    while let here = next {
      if isPinned(here) { return true }
      next = here == ancestor ? nil : here.parent
    }
    return false
  }

  /// A context that had read another state of an object that is in the store from now on, has read
  /// a state without a version.
  private mutating func noteStored(_ key: Int, in below: Place) {
    func stored(_ reading: Reading) -> Reading {
      guard reading.version == 0, let last = reading.above.last else { return reading }
      return Reading(version: .max, was: last, above: [])
    }
    if edits[below.rawValue][key]?.kind == .update || edits[below.rawValue][key]?.kind == .delete {
      edits[below.rawValue][key]?.read(stored)
    }
    if var visible = held[below.rawValue][key] {
      visible.reads = visible.reads.map(stored)
      visible.setters = visible.setters.mapValues { $0.map(stored) }
      held[below.rawValue][key] = visible
    }
  }

  /// The saver's newer edits, and all edits that had read the saved state, are based on the stored
  /// state now.
  ///
  /// - Parameter former: the store's version before the save.
  mutating func settle(_ place: Place, _ saved: [Edit?], since former: Int) {
    for key in Self.keys {
      guard let edit = saved[key] else { continue }
      let now = store[key]
      if var top = edits[place.rawValue][key] {
        if top.kind == .insert {
          // The policy has kept an object that was deleted and brought back.
          guard let now else { continue }
          (top.kind, top.reads, top.setters) = (.update, [now.reading], [:])
          top.on = now.values
          edits[place.rawValue][key] = top
          continue
        }
        guard let now else {
          edits[place.rawValue][key] = nil
          held[place.rawValue][key] = nil
          continue
        }
        top.on = now.values
        top.shown = top.kind == .delete ? nil : top.set.over(now.values)
        // A property that the store has otherwise than the save keeps its setter's reading.
        let lost = Slot.stored.filter {
          top.set.slots.contains($0) && edit.shown?[$0] != now.values[$0]
        }
        let former = top
        top = edit.saved(top, as: now)
        for slot in lost { top.setters[slot] = former.reads(of: slot) }
        edits[place.rawValue][key] = top
      } else if held[place.rawValue][key] != nil {
        held[place.rawValue][key] = now?.visible
      }
    }
    let settled = Settled(place: place, saved: saved, store: store, former: former)
    for below in place.below {
      if isPinned(below, beneath: place) {
        missed.append((below, settled))
      } else {
        settle(below, settled)
      }
    }
  }

  /// A context is notified of its ancestors' saves when it is no longer pinned.
  mutating func settleMissed() {
    let all = missed
    missed = []
    for (below, settled) in all {
      if isPinned(below, beneath: settled.place) {
        missed.append((below, settled))
      } else {
        settle(below, settled, isLate: true)
      }
    }
  }

  /// - Parameter isLate: whether the context is notified of the save after others, which may have
  ///   deleted the object since: then the saved state is unknown.
  private mutating func settle(_ below: Place, _ settled: Settled, isLate: Bool = false) {
    for key in Self.keys {
      guard let edit = settled.saved[key], let now = settled.store[key],
        edit.shown?.isSame(as: now.values) == true, now.version > settled.former,
        !isLate || store[key] != nil
      else { continue }
      if let newer = edits[below.rawValue][key] {
        edits[below.rawValue][key] = edit.saved(newer, as: now)
      }
      if var visible = held[below.rawValue][key] {
        visible.reads = visible.reads.map { edit.saved($0, as: now) }
        visible.setters = visible.setters.mapValues { $0.map { edit.saved($0, as: now) } }
        held[below.rawValue][key] = visible
      }
    }
    for key in Self.keys {
      guard let edit = settled.saved[key], let now = settled.store[key],
        edit.kind == .insert || now.version > settled.former
      else { continue }
      noteStored(key, in: below)
    }
  }
}

extension ContextOracle.Edit {
  /// Whether all of its makers had read the store's state.
  fileprivate func isMade(on theirs: ContextOracle.Stored) -> Bool {
    let all =
      set.slots.isEmpty
      ? reads + setters.values.joined()
      : Slot.allCases.filter(set.slots.contains).flatMap { reads(of: $0) }
    return all.allSatisfy { $0.version == theirs.version || $0.isIncluding(theirs.values) }
  }

  /// Whether the other side has changed a property, since the makers of this change had read it.
  fileprivate func isChanged(_ slot: Slot, in theirs: Values) -> Bool {
    if reads.isEmpty { return true }
    return reads(of: slot).contains { reading in
      (reading.was.map { $0[slot] != theirs[slot] } ?? true)
        && reading.above.allSatisfy { $0[slot] != theirs[slot] }
    }
  }

  /// A state that was read unsaved, and was then saved unchanged, was read as saved.
  fileprivate func saved(
    _ reading: ContextOracle.Reading, as now: ContextOracle.Stored
  ) -> ContextOracle.Reading {
    guard let shown, let place = reading.above.firstIndex(where: { $0.isSame(as: shown) }) else {
      return reading
    }
    return ContextOracle.Reading(
      version: now.version, was: now.values, above: Array(reading.above[(place + 1)...]))
  }

  /// A newer edit, when this one was saved.
  fileprivate func saved(_ newer: ContextOracle.Edit, as now: ContextOracle.Stored)
    -> ContextOracle.Edit
  {
    var result = newer
    result.reads = newer.reads.map { saved($0, as: now) }
    result.setters = newer.setters.mapValues { $0.map { saved($0, as: now) } }
    return result
  }

  fileprivate mutating func read(_ change: (ContextOracle.Reading) -> ContextOracle.Reading) {
    reads = reads.map(change)
    setters = setters.mapValues { $0.map(change) }
  }

  /// This newer edit on top of an older one whose save was refused.
  func over(_ older: ContextOracle.Edit) -> ContextOracle.Edit? {
    var result = self
    switch kind {
    case .delete:
      if older.kind == .insert { return nil }
      let reader = isMade(from: older) ? older : self
      (result.reads, result.setters, result.on) = (reader.reads, reader.setters, older.on)
    case .insert:
      result.kind = .update
      (result.reads, result.setters, result.on) = (older.reads, older.setters, older.on)
    case .update:
      result = older.taking(self)
      result.set = older.set.under(set)
      result.shown = shown
    }
    return result
  }
}
