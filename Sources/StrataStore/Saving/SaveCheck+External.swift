// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// That no stored record has a stamp without its bytes. A record that a save writes may have the stamp of
// a value that the save has not set: it was read, and the store has replaced or deleted that value
// meanwhile. Its bytes are gone. Then the store's value stays, if there is one, whatever the merge
// policy says of the rest.

extension SaveCheck {
  /// What is written of one object, its external slots with stored values or those of `external`. The
  /// saver hears of it if that is not what it wanted.
  mutating func item(
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

  private mutating func withStoredValues(
    of old: Record?, at slots: SlotSet, in record: Record, _ layout: RecordLayout
  ) -> Record {
    if let old { return splice(old, into: record, at: slots, layout) }
    let draft = Draft(layout: layout, base: record)
    for slot in slots { draft.setExternal(nil, at: slot) }
    return encode(draft)
  }
}
