// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

extension Overlay {
  /// This overlay after the store has committed `saved`: without the saved segments, and with newer
  /// changes based on the stored records.
  ///
  /// A newer change that had read the saved state has read the stored record now. A change that had
  /// read an older state keeps its base.
  ///
  /// - Parameter result: the commit's result for the change set.
  package func rebased(
    onto saved: ChangeSet, _ result: CommitResult, schema: Schema
  ) -> Overlay {
    let remaining = removing(saved.segments)
    var arena = RecordArena()
    return Overlay(
      remaining.segments.map { segment in
        let links = segment.links.withoutLost(saved, result, remaining)
        let isAffected = segment.changes.keys.contains { saved.changes.index(of: $0) != nil }
        guard isAffected || links.count < segment.links.count else { return segment }
        var rebased: [ObjectKey: Change?] = [:]
        for (key, change) in segment.changes {
          guard let saved = saved.changes[key], let entity = schema.entity(key.entity) else {
            continue
          }
          rebased.updateValue(
            change.rebased(onto: saved, result.outcome(of: key, saved), entity, &arena),
            forKey: key)
        }
        let changes = segment.changes.replacing(rebased)
        return Segment(changes: changes, links: links, schema: schema)
      })
  }

  /// This overlay after a save of `frozen` has failed: with newer changes joined to those, which
  /// are unsaved again.
  ///
  /// - Parameter view: shows the state beneath the context, for links that the newer changes take
  ///   back. If it cannot be read, these stay changes.
  package func recomposed(
    over frozen: [Segment], schema: Schema, view: () throws -> ReadView
  ) -> Overlay {
    let below = Overlay(frozen)
    guard let newer = removing(frozen).flattened() else { return below }
    let ground = try? Ground(of: newer, onto: below, doubting: Doubt(), in: view)
    return Composition.compose(
      pushed: newer, onto: below, on: ground ?? Ground(), schema: schema
    ).settled
  }
}

extension LinkChanges {
  /// These links without the removal of links of saved objects that the store does not have and
  /// that are not brought back. O(links).
  fileprivate func withoutLost(
    _ saved: ChangeSet, _ result: CommitResult, _ newer: Overlay
  ) -> LinkChanges {
    if isEmpty { return self }
    func isLost(_ key: ObjectKey) -> Bool {
      guard let change = saved.changes[key], result.outcome(of: key, change) == nil else {
        return false
      }
      return newer.kind(of: key) != .insert
    }
    var kept = self
    kept.filter { place, target, state in
      state != .absent || !isLost(place.owner) && !isLost(target)
    }
    return kept
  }
}

extension CommitResult {
  /// The stored state of a saved object; nil if the store has none.
  fileprivate func outcome(of key: ObjectKey, _ saved: Change) -> StoredRecord? {
    (merged[key] ?? saved.record).map { StoredRecord(record: $0, generation: generation) }
  }
}

extension Change {
  /// This change, made on top of `saved`, now that the store has committed that; nil if the object
  /// is gone from the store: an update of it is dropped, as any update of a deleted object.
  fileprivate func rebased(
    onto saved: Change, _ stored: StoredRecord?, _ entity: EntitySchema,
    _ arena: inout RecordArena
  ) -> Change? {
    // Brought back after its deletion it is an insertion.
    guard let stored else { return kind == .insert ? self : nil }
    guard let base else {
      // A merge policy let the object stay that was deleted and brought back. A second deletion
      // gives way, too.
      if kind == .delete { return nil }
      var change = self
      change.kind = .update
      change.base = Base(stored)
      return change
    }
    var change =
      base.record == stored.record ? self : laid(over: stored.record, entity, into: &arena)
    guard let frozen = saved.record else {
      change.base = base.moved(to: stored.record)
      return change
    }
    // A slot that the store has otherwise than the save, because a merge policy decided or another
    // save had set it, keeps its setter's reading.
    let lost = entity.editedSlots(frozen, stored.record).intersection(slots)
    change.base = base.committing(frozen, as: stored, where: entity.hasEqualEdits)
      .taking(lost, from: base).moved(to: stored.record)
    return change
  }
}
