// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

extension Overlay {
  /// This overlay after the store has committed `saved`: without the saved segments, and with what
  /// came on top of them while the store was writing now resting on the saved records.
  ///
  /// - Parameters:
  ///   - result: what the commit made of the change set.
  ///   - push: a child's save that this overlay holds and that has not landed. What it sets it sets
  ///     still, though it be what was saved: something else may land before it.
  package func rebased(
    onto saved: ChangeSet, _ result: CommitResult, pushedAs push: Segment? = nil, schema: Schema
  ) -> Overlay {
    let remaining = removing(saved.segments)
    var arena = RecordArena()
    let isStale = PlantedFault.staleBase.isPlanted(in: schema)
    return Overlay(
      remaining.segments.map { segment in
        let isAffected = segment.changes.keys.contains { saved.changes.index(of: $0) != nil }
        guard isAffected else { return segment }
        let changes = segment.changes.mapValues { key, change in
          change.rebased(
            onto: saved.changes[key], of: key, result, layout: schema.entity(key.entity)?.layout,
            keeping: push?.changes[key]?.slots ?? SlotSet(), isStale: isStale, &arena)
        }
        return Segment(changes: changes, links: segment.links, schema: schema)
      })
  }
}

extension Change {
  /// This change, made on top of `saved`, now that the store has committed that. What it differs in
  /// from `saved` is what is left of it; where a merge policy has decided, that lies on the outcome.
  fileprivate func rebased(
    onto saved: Change?, of key: ObjectKey, _ result: CommitResult, layout: RecordLayout?,
    keeping slots: SlotSet, isStale: Bool, _ arena: inout RecordArena
  ) -> Change {
    guard let saved else { return self }
    let written: Record? = result.merged[key] ?? saved.record
    var change = self
    guard let written else {
      // The object is gone from the store. Brought back after our own delete it is an insert; an
      // update of what a merge policy has let go is dropped, as any update of a deleted object.
      if saved.record != nil { return .delete(base: nil) }
      if kind == .update { change.kind = .insert }
      change.base = nil
      return change
    }
    if let ours = saved.record, let record, let layout {
      change.slots = layout.differingSlots(ours, record).union(slots)
      if result.merged[key] != nil {
        change.record = layout.splice(
          base: written, changes: record, slots: change.slots, into: &arena)
      }
      // What was saved lies in the store now.
      change.external = external.fitting(change.record, layout, in: change.slots)
    }
    if kind == .insert { change.kind = .update }
    if isStale, base != nil { return change }
    change.base = StoredRecord(record: written, generation: result.generation)
    return change
  }
}
