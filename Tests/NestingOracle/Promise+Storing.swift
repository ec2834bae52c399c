// SPDX-License-Identifier: Apache-2.0

/// What becomes of an object that two saves have changed.
package enum Policy: String, CaseIterable, Sendable {
  case error, store, object, overwrite, rollback
}

// A save to the store, in two steps; what is done in between is on top.

extension Promise {
  package enum Outcome: Sendable { case saved, conflict }

  private struct Conflict: Error {}

  mutating func begin(_ place: Place) {
    frozen[place.rawValue] = edits[place.rawValue]
    edits[place.rawValue] = Array(repeating: nil, count: Self.keyCount)
    frozenLinks[place.rawValue] = linkEdits[place.rawValue]
    linkEdits[place.rawValue] = LinkEdits()
  }

  mutating func finish(_ place: Place, _ policy: Policy) -> Outcome {
    let saved = frozen[place.rawValue]
    let links = frozenLinks[place.rawValue]
    frozen[place.rawValue] = Array(repeating: nil, count: Self.keyCount)
    frozenLinks[place.rawValue] = LinkEdits()
    do {
      let after = try decided(saved, policy)
      let linksAfter = try decided(links, after, policy)
      write(after)
      let counted = count()
      storedLinks = linksAfter
      settle(place, saved)
      for key in after.keys where saved[key] == nil { land(place, key) }
      // The saver has what its save has made of other objects.
      for key in counted where saved[key] == nil { renew(place, key) }
      if pins[place.rawValue] != nil { pin(place) }
      return .saved
    } catch {
      // Composed back: the older beneath, the newer above.
      linkEdits[place.rawValue] = links.under(linkEdits[place.rawValue])
      for key in Self.keys {
        guard let older = saved[key] else { continue }
        edits[place.rawValue][key] = edits[place.rawValue][key].map { $0.over(older) } ?? older
      }
      return .conflict
    }
  }

  /// What the store is to have of each object afterwards; nil for nothing.
  private func decided(_ saved: [Edit?], _ policy: Policy) throws(Conflict) -> [Int: Values?] {
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
    keepOrCascade(&after, policy)
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

  /// Where others have linked to what this save deletes, the deletion gives way to the store, or its
  /// rule goes on to what they have linked.
  private func keepOrCascade(_ after: inout [Int: Values?], _ policy: Policy) {
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
          } else if !policy.keepsTheirs, values.target(.whole) == key {
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
        if policy == .error { throw Conflict() }
        state[key]?[slot] = 0
        after[key] = .some(state[key])
      }
    }
  }

  /// A new link with a missing end is a conflict, or is dropped; the links of what is deleted go.
  private func decided(
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

  /// What is derived from others is so over the store's own state.
  ///
  /// - Returns: the objects of which it has changed.
  private mutating func count() -> [Int] {
    var changed: [Int] = []
    for key in Self.keys where store[key] != nil {
      let count = storedMembers(key).count
      if store[key]?.values[.memberCount] == count { continue }
      store[key]?.values[.memberCount] = count
      changed.append(key)
    }
    return changed
  }

  private mutating func write(_ after: [Int: Values?]) {
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

  /// The saver's newer edits, and all that had read what was saved, rest on what is stored now.
  private mutating func settle(_ place: Place, _ saved: [Edit?]) {
    for key in Self.keys {
      guard let edit = saved[key] else { continue }
      let now = store[key]
      if var top = edits[place.rawValue][key] {
        if top.kind == .insert { continue }
        guard let now else {
          edits[place.rawValue][key] = nil
          held[place.rawValue][key] = nil
          continue
        }
        top.on = now.values
        top.shown = top.kind == .delete ? nil : top.set.over(now.values)
        // A property that the policy has given to the store keeps what its setter had read.
        let lost = Slot.allCases.filter {
          top.set.slots.contains($0) && edit.set.slots.contains($0)
            && edit.shown?[$0] != now.values[$0]
        }
        let former = top
        top = edit.saved(top, as: now)
        for slot in lost { top.setters[slot] = former.reads(of: slot) }
        edits[place.rawValue][key] = top
      } else if held[place.rawValue][key] != nil {
        held[place.rawValue][key] = now?.sight
      }
    }
    for below in place.below {
      for key in Self.keys {
        guard let edit = saved[key], let now = store[key],
          edit.shown?.isSame(as: now.values) == true
        else { continue }
        if let newer = edits[below.rawValue][key] {
          edits[below.rawValue][key] = edit.saved(newer, as: now)
        }
        if var sight = held[below.rawValue][key] {
          sight.reads = sight.reads.map { edit.saved($0, as: now) }
          sight.setters = sight.setters.mapValues { $0.map { edit.saved($0, as: now) } }
          held[below.rawValue][key] = sight
        }
      }
    }
  }
}

extension Promise.Edit {
  /// Whether all who made it had read what the store has.
  fileprivate func isMade(on theirs: Promise.Stored) -> Bool {
    let all =
      set.slots.isEmpty
      ? reads + setters.values.joined()
      : Slot.allCases.filter(set.slots.contains).flatMap { reads(of: $0) }
    return all.allSatisfy { $0.version == theirs.version || $0.isIncluding(theirs.values) }
  }

  /// Whether the other side has changed a property, since those who made this had read it.
  fileprivate func isChanged(_ slot: Slot, in theirs: Values) -> Bool {
    if reads.isEmpty { return true }
    return reads(of: slot).contains { reading in
      (reading.was.map { $0[slot] != theirs[slot] } ?? true)
        && reading.above.allSatisfy { $0[slot] != theirs[slot] }
    }
  }

  /// What was read unsaved, and was then saved so, was read as saved.
  fileprivate func saved(
    _ reading: Promise.Reading, as now: Promise.Stored
  ) -> Promise.Reading {
    guard let shown, let place = reading.above.firstIndex(of: shown) else { return reading }
    return Promise.Reading(
      version: now.version, was: now.values, above: Array(reading.above[(place + 1)...]))
  }

  /// A newer edit, when this one was saved.
  fileprivate func saved(_ newer: Promise.Edit, as now: Promise.Stored) -> Promise.Edit {
    var result = newer
    result.reads = newer.reads.map { saved($0, as: now) }
    result.setters = newer.setters.mapValues { $0.map { saved($0, as: now) } }
    return result
  }

  /// This newer edit on top of an older one whose save was refused.
  fileprivate func over(_ older: Promise.Edit) -> Promise.Edit? {
    var result = self
    switch kind {
    case .delete:
      if older.kind == .insert { return nil }
      (result.reads, result.setters, result.on) = (older.reads, older.setters, older.on)
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
