// SPDX-License-Identifier: Apache-2.0

extension Promise {
  /// Whether an operation has a meaning now; a sequence passes over those that have none.
  package func isPossible(_ operation: Operation) -> Bool {
    let place = operation.place
    let (own, under) = (edits[place.rawValue], frozen[place.rawValue])
    let key = operation.key ?? 0
    switch operation.name {
    case .set: return shows(place, key) != nil
    case .link, .pair:
      guard shows(place, key) != nil, operation.target != key else { return false }
      return operation.target.map { shows(place, $0) != nil && look(place, $0) != nil } ?? true
    case .insert: return !isUsed(key)
    case .delete: return shows(place, key) != nil && look(place, key) != nil
    case .hold: return held[place.rawValue][key] == nil && own[key] == nil && look(place, key) != nil
    case .release: return held[place.rawValue][key] != nil
    case .read: return isUsed(key)
    case .fetch, .merge: return true
    case .refresh: return shows(place, key) != nil || own[key] != nil
    // Which half of a one-to-one link is taken back with one of its ends is not told anywhere; and a
    // new or deleted object is left alone.
    case .revert:
      guard let edit = own[key], edit.kind == .update else { return false }
      return !Slot.pairs.contains { edit.set.slots.contains($0) }
    case .rollback: return own.contains { $0 != nil }
    case .save:
      return own.contains { $0 != nil } && !under.contains { $0 != nil }
        && !(place.isRoot && isSaving)
    case .begin: return place.isRoot && own.contains { $0 != nil } && !isSaving
    case .finish: return under.contains { $0 != nil }
    }
  }

  /// Whether a save to the store is under way.
  package var isSaving: Bool { Place.allCases.contains(where: isSaving) }

  package func isSaving(_ place: Place) -> Bool {
    frozen[place.rawValue].contains { $0 != nil }
  }

  /// Whether the object was ever made.
  private func isUsed(_ key: Int) -> Bool { used.contains(key) }

  /// Does an operation as it is promised.
  ///
  /// - Parameter value: what `set` sets.
  package mutating func perform(_ operation: Operation, value: Int, policy: Policy) -> Outcome {
    let place = operation.place
    let key = operation.key ?? 0
    switch operation.name {
    case .set: if let slot = operation.slot { set(place, key, slot, value) }
    case .link: set(place, key, .owner, operation.target.map { $0 + 1 } ?? 0)
    case .pair: set(place, key, .wife, operation.target.map { $0 + 1 } ?? 0)
    case .insert:
      used.insert(key)
      insert(place, key)
    case .delete: delete(place, key)
    case .hold: hold(place, key)
    case .release: release(place, key)
    case .read, .fetch: break
    case .rollback: rollback(place)
    case .revert: revert(place, key)
    case .refresh: refresh(place, key)
    case .merge: merge(place)
    case .save:
      guard place.isRoot else {
        push(place)
        break
      }
      begin(place)
      return finish(place, policy)
    case .begin: begin(place)
    case .finish: return finish(place, policy)
    }
    return .saved
  }

  // MARK: - What is seen of it

  /// A context's unsaved changes of an object, those of a save under way included.
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

  package func shown(_ place: Place, _ key: Int) -> Values? { shows(place, key) }
  package func published(_ place: Place, _ key: Int) -> Values? { look(place, key)?.values }
  package func isHeld(_ place: Place, _ key: Int) -> Bool { held[place.rawValue][key] != nil }
  package func stored(_ key: Int) -> Values? { store[key]?.values }
}
