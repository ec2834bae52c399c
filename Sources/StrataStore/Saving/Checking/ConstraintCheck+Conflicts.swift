// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Resolves collisions of unique values as conflicts, by the third table of `MergePolicy`. If
// two objects have one unique value, a new one gives way: it is deleted, and the other survives
// with its ID. The survivor takes the loser's values as the policy says, and links that lead to the
// loser lead to the survivor. No policy deletes an object that the store already had.
//
// Stored objects get their values back first. That may change which object has a value, and so
// which one the new objects give way to.
//
// The resolution terminates: each step either removes a new object, or reverts the save's change of
// a stored object, and does so once per object.

extension ConstraintCheck {
  /// Resolves the collisions that were found, first the ones between two stored objects. Others may
  /// come of it.
  ///
  /// - Throws: `StoreError.uniquenessViolations`, `.mergePolicyMistakes`.
  mutating func resolve() throws {
    var found = collisions
    collisions = []
    if state.policy.givesWay {
      let stored = found.filter { !isNew($0.key) && !isNew($0.holder) }
      if !stored.isEmpty { found = stored }
    }
    for collision in found { try resolve(collision) }
    if !mistakes.isEmpty { throw StoreError.mergePolicyMistakes(mistakes) }
    if !violations.isEmpty { throw StoreError.uniquenessViolations(violations) }
    try LinkHandover(state: state).run()
  }

  private mutating func resolve(_ collision: Collision) throws {
    let (key, holder) = (collision.key, collision.holder)
    guard state.policy != .error else { return refuse(collision) }
    // Another constraint may have decided already.
    guard try hasEqualValue(key, holder, collision.index) else { return }
    if isNew(key) {
      try merge(key, into: holder, collision)
    } else if isNew(holder) {
      try merge(holder, into: key, collision)
    } else {
      try takeBack(collision)
    }
  }

  private mutating func refuse(_ collision: Collision) {
    guard let entity = state.schema.entity(collision.key.entity) else { return }
    violations.append(
      StoreError.UniquenessViolation(
        collision.key, collision.index, heldBy: collision.holder, entity))
  }

  /// Whether the store does not have the object.
  private func isNew(_ key: ObjectKey) -> Bool {
    guard let item = state.item(of: key) else { return false }
    return item.old == nil
  }

  // MARK: - A new object gives way

  private mutating func merge(
    _ loser: ObjectKey, into survivor: ObjectKey, _ collision: Collision
  ) throws {
    guard let entity = state.schema.entity(survivor.entity),
      let theirs = try state.record(of: survivor),
      let (ours, slots, external) = try values(of: loser, as: entity, over: theirs)
    else { return }
    let conflict = MergePolicy.Conflict(
      objectID: state.objectID(survivor), base: nil, ours: ours, theirs: theirs, changed: slots,
      external: external, schema: state.schema)
    switch state.policy.resolveConstraint(conflict, layout: entity.layout) {
    case .fail: return refuse(collision)
    case .mistaken(let found):
      mistakes += found
      return
    case .keepTheirs: break
    case .write(let record, let external):
      try state.revise(survivor, to: record, external: external)
      gained[survivor, default: SlotSet()].formUnion(slots)
    case .delete:
      // A constraint lets no object go that the store has.
      guard isNew(survivor) else { return refuse(collision) }
      try state.revise(survivor, to: nil)
      state.verdicts[survivor] = .goes
      return try state.revise(loser, to: nil)
    }
    state.survivors[loser] = survivor
    try state.revise(loser, to: nil)
  }

  /// The loser's values as a record of the survivor's entity, and the slots that it set. If the
  /// loser is of another entity of the hierarchy, only properties of both entities have values.
  private func values(
    of loser: ObjectKey, as entity: EntitySchema, over theirs: Record
  ) throws -> (Record, SlotSet, ExternalValues)? {
    guard let record = try state.record(of: loser), let own = state.schema.entity(loser.entity)
    else { return nil }
    let set = givenSlots(of: loser, record, own).union(gained[loser] ?? SlotSet())
    let external = state.item(of: loser)?.external ?? ExternalValues()
    if own === entity { return (record, set, external) }
    let shared = zip(own.numbers, entity.numbers).prefix { $0 == $1 }.count
    return entity.layout.withDraft(of: theirs) { draft in
      var slots = SlotSet()
      for slot in 0..<shared where entity.layout.places[slot].isPlaced {
        if own.layout.externalSlots.contains(slot) {
          draft.setExternal(external[slot], at: slot)
        } else {
          draft.setValue(
            record.value(at: slot, layout: own.layout, store: state.schema.store), at: slot)
        }
        if set.contains(slot) { slots.insert(slot) }
      }
      return (draft.changed.isEmpty ? theirs : state.encode(draft), slots, draft.external)
    }
  }

  /// The slots that a new object was given another value in than the entity's default.
  private func givenSlots(
    of key: ObjectKey, _ record: Record, _ entity: EntitySchema
  ) -> SlotSet {
    guard let change = state.save.changes[key] else { return SlotSet() }
    if change.kind != .insert { return change.slots }
    var given = SlotSet()
    for slot in change.slots where entity.layout.places[slot].isPlaced {
      let initial = entity.description.properties[slot].attribute?.defaultValue ?? .null
      let isGiven =
        entity.layout.externalSlots.contains(slot)
        ? record.stamp(at: slot, entity.layout) != initial.externalStamp
        : record.value(at: slot, layout: entity.layout, store: state.schema.store) != initial
      if isGiven { given.insert(slot) }
    }
    return given
  }

  // MARK: - A stored object keeps its value

  /// If the store has both objects, ours gets back the value that it had, unless the policy never
  /// gives way to the store.
  private mutating func takeBack(_ collision: Collision) throws {
    let key = collision.key
    guard state.policy.givesWay, let layout = state.schema.entity(key.entity)?.layout,
      let former = state.item(of: key)?.old, let record = try state.record(of: key),
      reverted.insert(.init(key: key, index: collision.index.number)).inserted
    else { return refuse(collision) }
    if state.policy == .rollback { return try state.revise(key, to: former) }
    var slots = SlotSet()
    for part in collision.index.parts { slots.insert(part.slot) }
    try state.revise(key, to: state.splice(former, into: record, at: slots, layout))
  }
}

extension PropertyValue {
  /// The stamp that an external attribute with this default has in a new object.
  fileprivate var externalStamp: DataStamp? {
    if case .data(let data) = self { ExternalData(data).stamp } else { nil }
  }
}
