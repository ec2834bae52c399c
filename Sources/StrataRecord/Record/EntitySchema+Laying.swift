// SPDX-License-Identifier: Apache-2.0
import StrataModel

// A change laid over another record than the one that it was made from. Everything that brings a
// change onto a newer state does it here, so that merge rules hold everywhere.

extension EntitySchema {
  /// `below` with the slots that a change sets. They have its values. A slot with a merge rule has
  /// the result of the rule, if its value in `below` differs from the origin.
  ///
  /// - Parameters:
  ///   - record: the record of the change.
  ///   - origin: the record that the change was made from; nil if it inserts the object.
  package func lay(
    _ record: Record, madeFrom origin: Record?, setting slots: SlotSet, over below: Record,
    into arena: inout RecordArena
  ) -> Record {
    let laid = layout.splice(base: below, changes: record, slots: slots, into: &arena)
    guard let origin, !slots.isDisjoint(with: mergedSlots) else { return laid }
    return merging(laid, at: slots, origin: origin, ours: record, theirs: below, into: &arena)
  }

  /// `record` with the results of the merge rules at those of `slots` in which `theirs` differs
  /// from `origin`.
  package func merging(
    _ record: Record, at slots: SlotSet, origin: Record, ours: Record, theirs: Record,
    into arena: inout RecordArena
  ) -> Record {
    let slots = slots.intersection(mergedSlots)
    if slots.isEmpty { return record }
    let differing = layout.differingSlots(origin, theirs).intersection(slots)
    if differing.isEmpty { return record }
    return layout.edited(record, into: &arena) { draft in
      for slot in differing {
        guard let attribute = description.properties[slot].attribute,
          let merged = attribute.mergeRule?.merge(
            base: shown(origin, slot, attribute), ours: shown(ours, slot, attribute),
            theirs: shown(theirs, slot, attribute), of: attribute),
          merged == .null || layout.places[slot].code.holds(merged)
        else { continue }
        draft.setValue(merged, at: slot)
      }
    }
  }

  /// The value as the property shows it: one that was never set is the default.
  private func shown(
    _ record: Record, _ slot: Int, _ attribute: AttributeDescription
  ) -> PropertyValue {
    let value = record.value(at: slot, layout: layout, store: store)
    return value == .null && !attribute.isOptional ? attribute.defaultValue : value
  }
}
