// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The content of a message, computed at its first use: a context without observers pays only
/// for collecting.
///
/// ## Lifetime
/// Until it is computed it keeps the turn's segments, and their records, alive; then IDs and slot
/// sets only.
///
/// ## Isolation
/// Sendable: the source is reached under a lock, the rest is constant or set once.
final class ChangeContents: Sendable {
  /// The collected changes.
  enum Source: Sendable {
    case keys(inserted: [ObjectKey], updated: [ObjectKey], deleted: [ObjectKey])
    case turn(TurnChanges)
    /// - Parameters:
    ///   - merged: the store's states that differ; nil for an object that is gone.
    ///   - derived: the objects of `merged` that differ only in these derived slots.
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

    /// Removes each object that is in both sets from one of them, or, if it was inserted as often
    /// as deleted, from both: undo and redo insert and delete an object several times in a turn.
    ///
    /// - Returns: the objects that are in neither set any more.
    fileprivate mutating func cancelOpposites(of turn: TurnChanges) -> Set<ObjectID> {
      let both = inserted.intersection(deleted)
      if both.isEmpty { return both }
      var balances: [ObjectKey: Int] = [:]
      for key in turn.inserted { balances[key, default: 0] += 1 }
      for key in turn.deleted { balances[key, default: 0] -= 1 }
      for id in both {
        let balance = balances[id.key] ?? 0
        if balance <= 0 { inserted.remove(id) }
        if balance >= 0 { deleted.remove(id) }
      }
      return both.subtracting(inserted).subtracting(deleted)
    }
  }

  private final class Result: Sendable {
    let resolved: Resolved
    init(_ resolved: Resolved) { self.resolved = resolved }
  }

  let store: StoreIdentity
  /// Nil if no slots are known.
  let schema: Schema?
  // Safety: read and written only inside `lock`.
  private nonisolated(unsafe) var source: Source?
  private let result = SetOnce<Result>()

  /// Guards the sources of all messages: a lock of its own for each would cost more than the
  /// message, of which mostly nothing is read. It is held for copying references.
  private static let lock = CountedMutex(())

  init(_ source: Source, store: StoreIdentity, schema: Schema?) {
    self.store = store
    self.schema = schema
    self.source = source
  }

  /// O(objects) the first time, then O(1).
  var resolved: Resolved {
    if let result = result.load() { return result.resolved }
    // The result is there before the source goes. Two threads that ask at once may both compute it.
    guard let source = Self.lock.withLock({ _ in self.source }) else {
      return result.load()?.resolved ?? Resolved()
    }
    let resolved = result.storeIfNil(Result(resolve(source))).resolved
    let retired = Self.lock.withLock { _ in self.source.take() }
    return withExtendedLifetime(retired) { resolved }
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
    let cancelled = resolved.cancelOpposites(of: turn)
    // Objects inserted and deleted within the turn are in neither; objects deleted and restored
    // were changed.
    let cameBack = cancelled.filter { changes.firstDeleted.contains($0.key) }
    resolved.updated = ids(turn.updated).union(ids(changes.ends))
      .subtracting(resolved.inserted).subtracting(resolved.deleted).subtracting(cancelled)
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
