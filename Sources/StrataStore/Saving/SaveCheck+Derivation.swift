// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Derived attributes, over the state that the store has after the save: what the save writes by what
// the check has decided, and the rest as the transaction has it. No change set has them: contexts do
// not set them, and what a record of a change set holds in their slots does not count.

extension SaveCheck {
  /// Has the plan write derived attributes as they are after the save, in the objects that it writes
  /// and in others. The saver hears of each that is not as it was in the change set.
  ///
  /// It may be called again when more was decided: then it begins with what it has planned itself.
  mutating func derive() throws {
    guard concernsDerived else { return }
    if !plan.merged.isEmpty, PlantedFault.decidedUnderived.isPlanted(in: schema) { return }
    let view = try stateAfterSave()
    var derivation = Derivation(schema)
    try gather(into: &derivation, in: view)
    try deriveWritten(derivation, in: view)
    try deriveOthers(derivation, in: view)
  }

  /// Whether a derived attribute may be other than it was: one look for each entity that is written.
  private var concernsDerived: Bool {
    let derivations = schema.derivation
    if derivations.isEmpty { return false }
    let memberships = derivations.memberships
    return plan.sections.contains {
      derivations[$0.entity.number] != nil || memberships[$0.entity.number] != nil
    } || plan.links.byPlace.keys.contains { memberships.relationships.contains($0.relationship) }
  }

  // MARK: - The state after the save

  private mutating func stateAfterSave() throws -> ReadView {
    var changes = ChangeTable.Builder(expecting: plan.sections.reduce(0) { $0 + $1.items.count })
    for section in plan.sections {
      for item in section.items {
        let base = item.old.map { Base(record: $0, generation: 0) }
        switch (item.new, base) {
        case (let record?, let base?):
          changes.append(item.key, .update(record, base: base, slots: item.differing))
        case (let record?, nil): changes.append(item.key, .insert(record, slots: item.differing))
        case (nil, _): changes.append(item.key, .delete(base: base))
        }
      }
    }
    let segment = Segment(
      changes: changes.finished(), links: try linksThatStay(), schema: schema)
    return ReadView(
      own: Overlay([segment]), inherited: [],
      snapshot: view, schema: schema)
  }

  /// The links of the save without those that lose an end by what was decided.
  private mutating func linksThatStay() throws -> LinkChanges {
    if plan.links.isEmpty || (!dropsLinks && plan.merged.isEmpty) { return plan.links }
    var kept = LinkChanges()
    for (place, links) in plan.links.byPlace {
      let isOwnerThere = try exists(place.owner)
      for (target, state) in links {
        let isThere = try state == .absent || (isOwnerThere && exists(target))
        kept.set(isThere ? state : .absent, at: place, to: target)
      }
    }
    return kept
  }

  // MARK: - What is wanted

  private mutating func gather(into derivation: inout Derivation, in after: ReadView) throws {
    let memberships = schema.derivation.memberships
    for section in plan.sections {
      let number = section.entity.number
      let membership = memberships[number]
      guard membership != nil || schema.derivation[number] != nil else { continue }
      for item in section.items {
        if let membership { try gather(item, membership, section.entity, into: &derivation) }
        switch (item.old, item.new) {
        case (nil, _): try derivation.want(ofNew: item.key, in: after)
        case (_, nil): try derivation.want(ofDeleted: item.key, in: after)
        default: try derivation.want(changing: item.differing, of: item.key, in: after)
        }
      }
    }
    for place in plan.links.byPlace.keys
    where memberships.relationships.contains(place.relationship) {
      derivation.wantAggregates(over: place)
    }
  }

  /// Gathers the relationships that gain or lose one object.
  private func gather(
    _ item: SavePlan.Item, _ membership: EntityMemberships, _ entity: EntitySchema,
    into derivation: inout Derivation
  ) throws {
    for (slot, relationship) in membership.slots where item.differing.contains(slot) {
      let former = item.old?.toOne(at: slot, layout: entity.layout)
      let owner = item.new?.toOne(at: slot, layout: entity.layout)
      if former == owner { continue }
      for case let owner? in [former, owner] {
        derivation.wantAggregates(over: LinkPlace(relationship, owner))
      }
    }
    guard item.new == nil else { return }
    for (relationship, end) in membership.ends {
      for target in try storedTargets(at: LinkPlace(relationship, item.key)) {
        derivation.wantAggregates(over: LinkPlace(end, target))
      }
    }
  }

  // MARK: - What is planned

  /// Derives in the objects that the plan writes.
  private mutating func deriveWritten(_ derivation: Derivation, in after: ReadView) throws {
    for number in plan.sections.indices {
      let entity = plan.sections[number].entity
      let derived = entity.derivedSlots
      if derived.isEmpty { continue }
      var isAnythingLeft = true
      for place in plan.sections[number].items.indices {
        let item = plan.sections[number].items[place]
        guard let new = item.new else { continue }
        var record = new
        // What is not to be calculated stays as it is stored, whatever the change set has there.
        if let old = item.old {
          let strange = item.differing.intersection(derived)
            .subtracting(derivation.wanted[item.key] ?? SlotSet())
          if !strange.isEmpty { record = splice(old, into: record, at: strange, entity.layout) }
        }
        if let found = try derivation.record(of: item.key, record, in: after, into: &arena) {
          record = found
        }
        if record.isIdentical(to: new) { continue }
        let changed = SavePlan.Item(
          key: item.key, old: item.old, new: record, external: item.external, entity.layout)
        plan.sections[number].items[place] = changed
        if !changed.isChange { isAnythingLeft = false }
        note(record, of: item.key, derived, entity.layout)
      }
      if !isAnythingLeft { plan.sections[number].items.removeAll { !$0.isChange } }
    }
    plan.sections.removeAll { $0.items.isEmpty }
  }

  /// Derives in the objects that the plan did not write so far.
  private mutating func deriveOthers(_ derivation: Derivation, in after: ReadView) throws {
    var items: [ObjectKey: SavePlan.Item] = [:]
    for key in derivation.wanted.keys where plan.item(of: key) == nil {
      guard let entity = schema.entity(key.entity), case .record(let stored) = try after.find(key),
        let record = try derivation.record(of: key, stored.record, in: after, into: &arena)
      else { continue }
      items[key] = SavePlan.Item(key: key, old: stored.record, new: record, entity.layout)
      note(record, of: key, entity.derivedSlots, entity.layout)
    }
    if !items.isEmpty { plan.revise(items, schema) }
  }

  /// Has the saver hear of derived values: over what was decided of the object, or else over what it
  /// has saved.
  private mutating func note(
    _ record: Record, of key: ObjectKey, _ derived: SlotSet, _ layout: RecordLayout
  ) {
    let known = plan.merged[key] ?? save.changes[key]?.record
    guard let known else {
      plan.derived[key] = derived
      plan.merged.updateValue(record, forKey: key)
      return
    }
    let slots = layout.differingSlots(known, record).intersection(derived)
    if slots.isEmpty { return }
    if plan.merged[key] == nil || plan.derived[key] != nil {
      plan.derived[key, default: SlotSet()].formUnion(slots)
    }
    plan.merged.updateValue(splice(record, into: known, at: slots, layout), forKey: key)
  }
}
