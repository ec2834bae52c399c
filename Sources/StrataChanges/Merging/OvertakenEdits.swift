// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The edits of a context's turn that a checked save of a child has replaced.
///
/// A turn's edits are not published, so the child could not see them and its merge policy was not
/// asked. The child's values hold. The context's next save throws the conflicts, so that no
/// assignment is lost without an error. Setting the property again, a refresh of the object and a
/// rollback end a conflict.
package struct OvertakenEdits {
  private struct Edit {
    /// The record that the child was shown.
    var base: Record
    /// The context's record before the child's save.
    var ours: Record
    var slots: SlotSet
  }

  private var edits: [ObjectKey: Edit] = [:]
  /// The slots that the noted saves have set: these are not the turn's edits.
  private var setBySaves: [ObjectKey: SlotSet] = [:]

  package init() {}

  package var isEmpty: Bool { edits.isEmpty }

  /// Notes the edits that a child's save replaces.
  ///
  /// - Parameters:
  ///   - receiver: the context's unsaved changes, before the save is laid over them, with the saves
  ///     that were noted before.
  package mutating func note(
    replacedBy pushed: Segment, in receiver: Overlay, schema: Schema
  ) {
    let touching = Overlay(receiver.segments.filter { !$0.changes.isApart(from: pushed.changes) })
    var arena = RecordArena()
    for (key, change) in pushed.changes where change.kind == .update {
      let known = setBySaves[key] ?? SlotSet()
      setBySaves[key] = known.union(change.slots)
      // The change may have another origin by now: a commit moves it.
      guard let entity = schema.entity(key.entity), let own = touching.change(for: key),
        own.kind != .delete, let ours = own.record,
        let base = change.base?.lastShown(entity.layout, into: &arena)
      else { continue }
      let slots = entity.contestedSlots(base, ours).intersection(own.slots)
        .intersection(change.slots).subtracting(known)
      if slots.isEmpty { continue }
      edits[key, default: Edit(base: base, ours: ours, slots: slots)].slots.formUnion(slots)
    }
  }

  /// Adds edits that were replaced later.
  package mutating func add(_ newer: OvertakenEdits) {
    edits.merge(newer.edits) { $1.slots.isDisjoint(with: $0.slots) ? $0 : $1 }
  }

  package mutating func forget(_ key: ObjectKey) {
    if !edits.isEmpty { edits[key] = nil }
  }

  /// Forgets the properties that `changes` set.
  package mutating func forget(setBy changes: ChangeTable) {
    for (key, edit) in edits {
      guard let change = changes[key] else { continue }
      let rest = edit.slots.subtracting(change.slots)
      let isSettled = change.kind == .delete || rest.isEmpty
      if isSettled { edits[key] = nil } else { edits[key]?.slots = rest }
    }
  }

  /// The conflicts with the present unsaved changes. Ascending. An object that has no change any
  /// more has none.
  package func conflicts(in working: Overlay, schema: Schema) -> [MergePolicy.Conflict] {
    edits.sorted { $0.key < $1.key }.compactMap { key, edit in
      guard let change = working.change(for: key) else { return nil }
      return MergePolicy.Conflict(
        objectID: ObjectID(store: schema.store, key: key), base: edit.base, ours: edit.ours,
        theirs: change.record, changed: edit.slots, schema: schema)
    }
  }
}
