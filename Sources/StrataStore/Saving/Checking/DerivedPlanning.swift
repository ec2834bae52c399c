// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Plans the derived attributes as they are after the save: over the decided records of objects
/// that the save writes, and over the transaction's records of other objects. Change sets carry no
/// derived values: contexts do not set them, and the derived slots of a change set's record are
/// ignored.
///
/// ## Isolation
/// The writer thread.
struct DerivedPlanning {
  let state: StateAfterSave

  /// Plans the derived attributes as they are after the save, of the objects that it writes and of
  /// others. The saver is notified of each derived value that differs from its change set.
  ///
  /// A second call, after further decisions, begins with the values that the first one planned.
  func run() throws {
    guard concernsDerived else { return }
    if !state.plan.merged.isEmpty, PlantedFault.decidedUnderived.isPlanted(in: state.schema) {
      return
    }
    let after = try state.viewAfterSave()
    var derivation = Derivation(state.schema)
    try gather(into: &derivation, in: after)
    let settled = try deriveWritten(derivation, in: after)
    try deriveOthers(derivation, besides: settled, in: after)
  }

  /// Whether a derived attribute may be other than it was: one look for each entity that is
  /// written.
  private var concernsDerived: Bool {
    let derivations = state.schema.derivation
    if derivations.isEmpty { return false }
    let memberships = derivations.memberships
    return state.plan.sections.contains {
      derivations[$0.entity.number] != nil || memberships[$0.entity.number] != nil
    }
      || state.plan.links.byPlace.keys.contains {
        memberships.relationships.contains($0.relationship)
      }
  }

  // MARK: - Objects to calculate

  private func gather(into derivation: inout Derivation, in after: ReadView) throws {
    let beneath = after.over(Overlay())
    for section in state.plan.sections {
      for item in section.items {
        try derivation.want(
          item.key, from: item.old, to: item.new, changing: item.differing, in: after, over: beneath
        )
      }
    }
    derivation.want(state.plan.links)
    derivation.wantAggregates()
  }

  // MARK: - Planned records

  /// Derives in the objects that the plan writes.
  ///
  /// - Returns: the objects that are then as they are stored. The plan has them no more, and
  ///   `after` still shows them as they were planned.
  private func deriveWritten(
    _ derivation: Derivation, in after: ReadView
  ) throws -> Set<ObjectKey> {
    var settled: Set<ObjectKey> = []
    for number in state.plan.sections.indices {
      let entity = state.plan.sections[number].entity
      let derived = entity.derivedSlots
      if derived.isEmpty { continue }
      let settledCount = settled.count
      for place in state.plan.sections[number].items.indices {
        let item = state.plan.sections[number].items[place]
        guard let new = item.new else { continue }
        var record = new
        // An attribute that is not calculated keeps its stored value, whatever the change set has
        // in its slot.
        if let old = item.old {
          let uncalculated = item.differing.intersection(derived)
            .subtracting(derivation.wanted[item.key] ?? SlotSet())
          if !uncalculated.isEmpty {
            record = state.splice(old, into: record, at: uncalculated, entity.layout)
          }
        }
        if let found = try derivation.record(of: item.key, record, in: after, into: &state.arena) {
          record = found
        }
        if record.isIdentical(to: new) { continue }
        let changed = SavePlan.Item(
          key: item.key, old: item.old, new: record, external: item.external, entity.layout)
        state.plan.sections[number].items[place] = changed
        if !changed.isChange { settled.insert(item.key) }
        note(record, of: item.key, derived, entity.layout)
      }
      if settled.count > settledCount {
        state.plan.sections[number].items.removeAll { !$0.isChange }
      }
    }
    state.plan.sections.removeAll { $0.items.isEmpty }
    return settled
  }

  /// Derives in the objects that the plan did not write so far.
  private func deriveOthers(
    _ derivation: Derivation, besides settled: Set<ObjectKey>, in after: ReadView
  ) throws {
    var items: [ObjectKey: SavePlan.Item] = [:]
    for key in derivation.wanted.keys where state.plan.item(of: key) == nil {
      guard !settled.contains(key), let entity = state.schema.entity(key.entity),
        let stored = try after.record(of: key),
        let record = try derivation.record(of: key, stored.record, in: after, into: &state.arena)
      else { continue }
      items[key] = SavePlan.Item(key: key, old: stored.record, new: record, entity.layout)
      note(record, of: key, entity.derivedSlots, entity.layout)
    }
    if !items.isEmpty { state.plan.revise(items, state.schema) }
  }

  /// Notifies the saver of derived values, over the decided record of the object if there is one,
  /// else over the saved record.
  private func note(
    _ record: Record, of key: ObjectKey, _ derived: SlotSet, _ layout: RecordLayout
  ) {
    let known = state.plan.merged[key] ?? state.save.changes[key]?.record
    guard let known else {
      state.plan.derived[key] = derived
      state.plan.merged.updateValue(record, forKey: key)
      return
    }
    let slots = layout.differingSlots(known, record).intersection(derived)
    if slots.isEmpty { return }
    if state.plan.merged[key] == nil || state.plan.derived[key] != nil {
      state.plan.derived[key, default: SlotSet()].formUnion(slots)
    }
    state.plan.merged.updateValue(state.splice(record, into: known, at: slots, layout), forKey: key)
  }
}
