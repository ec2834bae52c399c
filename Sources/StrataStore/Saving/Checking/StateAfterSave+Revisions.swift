// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The records that conflicts change.

extension StateAfterSave {
  /// The planned write of an object, or nil. O(log objects).
  func item(of key: ObjectKey) -> SavePlan.Item? {
    revised[key] ?? plan.item(of: key)
  }

  /// The object as it is after the save; nil if it will not be there.
  func record(of key: ObjectKey) throws -> Record? {
    switch outcome(of: key) {
    case .deleted: return nil
    case .record(let record): return record
    case .untouched: return try view.record(for: key)?.record
    }
  }

  /// Plans `record` as the object's record after the save, or its deletion if `record` is nil. The
  /// saver is notified.
  ///
  /// - Parameter external: bytes of external slots that the save sets in the object besides those
  ///   of its own change.
  func revise(
    _ key: ObjectKey, to record: Record?, external: ExternalValues = ExternalValues()
  ) throws {
    guard let entity = schema.entity(key.entity) else { return }
    let old: Record?
    var known = save.changes[key]?.external ?? ExternalValues()
    if let item = item(of: key) {
      old = item.old
      known = item.external.fitting(
        record, entity.layout, in: entity.layout.externalSlots, orElse: known)
    } else {
      old = try view.record(for: key)?.record
    }
    plan.merged.updateValue(record, forKey: key)
    plan.derived[key] = nil
    revised[key] = item(
      key, old: old, new: record,
      external.fitting(record, entity.layout, in: entity.layout.externalSlots, orElse: known),
      entity)
    freshlyRevised.append(key)
    existing = KeyMemo(expecting: save.changes.count)
  }

  /// Brings the revised objects into the plan.
  func applyRevisions() {
    if revised.isEmpty { return }
    plan.revise(revised, schema)
    (revised, freshlyRevised) = ([:], [])
  }

  // MARK: - External values

  // Ensures that no stored record has a stamp without its bytes. A record to write may have the
  // stamp of a value that the save read and did not set. If the store has replaced or deleted that
  // value since, its bytes are gone. Then the store's value stays, if there is one, regardless
  // of the merge policy.

  /// The planned write of one object, whose external slots have stored values or values of
  /// `external`. The saver is notified if the result differs from its change.
  func item(
    _ key: ObjectKey, old: Record?, new: Record?, _ external: ExternalValues,
    _ entity: EntitySchema
  ) -> SavePlan.Item {
    let layout = entity.layout
    guard let new else { return SavePlan.Item(key: key, old: old, new: nil, layout) }
    if layout.externalSlots.isEmpty {
      return SavePlan.Item(key: key, old: old, new: stored(new, entity), layout)
    }
    var lost = SlotSet()
    for slot in layout.externalSlots {
      guard let stamp = new.stamp(at: slot, layout), stamp != old?.stamp(at: slot, layout),
        external.value(at: slot, fitting: stamp) == nil
      else { continue }
      lost.insert(slot)
    }
    let kept = lost.isEmpty ? new : withStoredValues(of: old, at: lost, in: new, layout)
    if !lost.isEmpty { plan.merged.updateValue(kept, forKey: key) }
    return SavePlan.Item(
      key: key, old: old, new: stored(kept, entity),
      external: external.fitting(kept, layout, in: layout.externalSlots), layout)
  }

  private func withStoredValues(
    of old: Record?, at slots: SlotSet, in record: Record, _ layout: RecordLayout
  ) -> Record {
    if let old { return splice(old, into: record, at: slots, layout) }
    return layout.clearing(slots, in: record, into: &arena)
  }
}
