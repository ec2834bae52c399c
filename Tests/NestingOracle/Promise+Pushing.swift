// SPDX-License-Identifier: Apache-2.0

// A save to a parent context.

extension Promise {
  mutating func push(_ place: Place) {
    guard let parent = place.parent else { return }
    let batch = edits[place.rawValue]
    edits[place.rawValue] = Array(repeating: nil, count: Self.keyCount)
    for key in Self.keys {
      if let edit = batch[key] { push(edit, of: key, onto: parent) }
    }
    settleLinks(of: batch, in: parent)
    pushLinks(place, onto: parent)
    for key in Self.keys {
      guard let edit = batch[key] else { continue }
      if edit.kind == .delete {
        held[place.rawValue][key] = nil
      } else if held[place.rawValue][key] != nil {
        held[place.rawValue][key] = edit.sight
      }
    }
    for key in Self.keys { land(parent, key) }
    if pins[place.rawValue] != nil { pin(place) }
  }

  /// The receiver's held objects take what has landed.
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
        edit.shown = edit.set.over(under.values)
        edit.on = under.values
        keep(edit)
      } else if !isDeletedAboveStore(place, key),
        let oldest = (edit.reads + edit.setters.values.joined()).filter({ $0.version != 0 })
          .min(by: { $0.version < $1.version }),
        let was = oldest.was
      {
        // It went from the store, and the store decides.
        var edit = edit
        edit.shown = edit.set.over(was)
        edit.on = nil
        keep(edit)
      }
    case .insert:
      if own == nil, under == nil { return keep(edit) }
      var edit = edit
      edit.kind = own?.kind == .insert ? .insert : .update
      edit.reads = own?.reads ?? under?.reads ?? []
      edit.on = own == nil ? under?.values : own?.on
      keep(edit)
    case .delete:
      if let own {
        guard own.kind != .insert else { return keep(nil) }
        let reader = edit.isMade(from: own) ? own : edit
        keep(
          Edit(
            kind: .delete, set: .none, shown: nil, reads: reader.reads, setters: reader.setters,
            on: own.on))
      } else if let under {
        var edit = edit
        edit.on = under.values
        keep(edit)
      }
    }
  }

  /// Links with an end that is not there are dropped, and of two one-to-one links at one end the
  /// receiver's gives way.
  private mutating func settleLinks(of batch: [Edit?], in place: Place) {
    for key in Self.keys {
      guard let edit = edits[place.rawValue][key], let shown = edit.shown else { continue }
      for slot in Slot.links {
        guard let target = shown.target(slot) else { continue }
        let isDeleted = batch[target]?.kind == .delete
        guard isDeleted || edit.set.slots.contains(slot) && look(place, target) == nil else {
          continue
        }
        // The delete rules, on what the sender did not see.
        if isDeleted, slot == .whole {
          delete(place, key)
          break
        }
        put(place, key, slot, 0)
      }
    }
    for key in Self.keys {
      guard let edit = batch[key], edit.kind != .delete, let mine = edits[place.rawValue][key]
      else { continue }
      for slot in Slot.pairs where edit.set.slots.contains(slot) {
        let partner = mine.shown?.target(slot)
        for other in Self.keys
        where other != key && batch[other] == nil && edits[place.rawValue][other] != nil {
          guard let back = look(place, other)?.values.target(slot.inverse),
            (back == key) != (other == partner)
          else { continue }
          put(place, other, slot.inverse, 0)
        }
      }
    }
  }
}
