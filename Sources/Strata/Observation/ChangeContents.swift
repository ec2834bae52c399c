// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The content of a message, computed at its first use: a context without observers pays for
/// collecting alone.
///
/// ## Lifetime
/// Until it is computed it keeps the turn's segments, and their records, alive; then IDs and slot
/// sets only.
///
/// ## Isolation
/// Sendable: guarded by a lock.
final class ChangeContents: Sendable {
  /// The collected changes.
  enum Source: Sendable {
    case keys(inserted: [ObjectKey], updated: [ObjectKey], deleted: [ObjectKey])
    case turn(TurnChanges)
    /// - Parameters:
    ///   - merged: the store's states that differ; nil for an object that is gone.
    ///   - derived: the objects of `merged` that differ in these derived slots alone.
    case saved(Overlay, merged: [ObjectKey: Record?], derived: [ObjectKey: SlotSet])
  }

  /// The computed sets.
  struct Resolved: Sendable {
    var inserted: Set<ObjectID> = []
    var updated: Set<ObjectID> = []
    var deleted: Set<ObjectID> = []
    var refreshed: Set<ObjectID> = []
    var invalidated: Set<ObjectID> = []
    var slots: [ObjectKey: SlotSet] = [:]
  }

  private enum State: Sendable {
    case collected(Source)
    case resolved(Resolved)
  }

  let store: StoreIdentity
  /// Nil if no slots are known.
  let schema: Schema?
  private let state: CountedMutex<State>

  init(_ source: Source, store: StoreIdentity, schema: Schema?) {
    self.store = store
    self.schema = schema
    state = CountedMutex(.collected(source))
  }

  /// O(objects) the first time, then O(1).
  var resolved: Resolved {
    state.withLock { state in
      switch state {
      case .resolved(let resolved): return resolved
      case .collected(let source):
        let resolved = resolve(source)
        state = .resolved(resolved)
        return resolved
      }
    }
  }

  // MARK: - Working it out

  private func resolve(_ source: Source) -> Resolved {
    switch source {
    case .keys(let inserted, let updated, let deleted):
      var resolved = Resolved()
      resolved.inserted = ids(inserted)
      resolved.deleted = ids(deleted)
      resolved.updated = ids(updated).subtracting(resolved.inserted).subtracting(resolved.deleted)
      return resolved
    case .turn(let turn): return resolve(turn)
    case .saved(let overlay, let merged, let derived): return resolve(overlay, merged, derived)
    }
  }

  private func resolve(_ turn: TurnChanges) -> Resolved {
    var changes = turn.folded
    if let schema {
      for segment in turn.segments { changes.add(segment, schema: schema) }
    }
    for end in turn.ends { changes.addEnd(end.key, end.slot) }
    var resolved = Resolved()
    resolved.slots = changes.slots
    resolved.inserted = ids(turn.inserted)
    resolved.deleted = ids(turn.deleted)
    // Objects inserted and deleted within the turn are in neither; objects deleted and restored
    // were changed.
    let both = resolved.inserted.intersection(resolved.deleted)
    resolved.inserted.subtract(both)
    resolved.deleted.subtract(both)
    let cameBack = both.filter { changes.firstDeleted.contains($0.key) }
    resolved.updated = ids(turn.updated).union(ids(changes.ends))
      .subtracting(resolved.inserted).subtracting(resolved.deleted).subtracting(both)
      .union(cameBack)
    // Of a change that went by way of a deletion, the slots are not all that may differ.
    for id in cameBack { resolved.slots[id.key] = nil }
    resolved.refreshed = ids(turn.refreshed)
    resolved.invalidated = ids(turn.invalidated)
    return resolved
  }

  private func resolve(
    _ overlay: Overlay, _ merged: [ObjectKey: Record?], _ derived: [ObjectKey: SlotSet]
  ) -> Resolved {
    var resolved = Resolved()
    var changes = SlotChanges()
    let pending = overlay.changes
    for (key, change) in pending where !change.isReadLock {
      let id = ObjectID(store: store, key: key)
      switch (change.kind, merged[key]) {
      case (.delete, nil) where change.base == nil: continue
      case (.insert, .some(nil)): continue
      case (.update, .some(nil)), (.delete, nil): resolved.deleted.insert(id)
      case (.insert, _): resolved.inserted.insert(id)
      case (.update, _), (.delete, _): resolved.updated.insert(id)
      }
    }
    if let schema {
      changes.add(pending, overlay.links, schema: schema)
      resolved.updated.formUnion(ids(changes.ends))
      resolved.slots = changes.slots
    }
    resolved.updated.formUnion(
      overlay.links.byPlace.keys.map { ObjectID(store: store, key: $0.owner) })
    resolved.updated.subtract(resolved.inserted)
    resolved.updated.subtract(resolved.deleted)
    // The store's changes of objects outside the save.
    for (key, record) in merged where pending[key] == nil {
      let id = ObjectID(store: store, key: key)
      if record == nil { resolved.deleted.insert(id) } else { resolved.updated.insert(id) }
    }
    resolved.updated.subtract(resolved.deleted)
    for key in merged.keys {
      if let slots = derived[key], resolved.slots[key] != nil || pending[key] == nil {
        resolved.slots[key, default: SlotSet()].formUnion(slots)
      } else {
        // The slots that we set do not include the decisions of a merge policy.
        resolved.slots[key] = nil
      }
    }
    return resolved
  }

  private func ids(_ keys: some Sequence<ObjectKey>) -> Set<ObjectID> {
    Set(keys.map { ObjectID(store: store, key: $0) })
  }
}
