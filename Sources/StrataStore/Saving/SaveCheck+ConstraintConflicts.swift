// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Collisions are conflicts for the merge policy too, as the third table over `MergePolicy` says. Of two
// objects with one unique value, one that is new gives way: it is deleted, the other survives with its
// ID and takes of its values what the policy says, and what leads to the loser leads to the survivor.
// No policy lets an object go that the store has had.
//
// It comes to an end: each resolution takes away a new object, or takes back our change of a stored
// one, once.

extension SaveCheck {
  /// What has come of constraint conflicts.
  struct Replacements {
    /// Losers and those who took their place, which may have lost too.
    var survivors: [ObjectKey: ObjectKey] = [:]
    /// The slots that a survivor has from losers.
    var gained: [ObjectKey: SlotSet] = [:]
    /// Objects whose value in an index was taken back: once is enough.
    var reverted: Set<Reversion> = []

    struct Reversion: Hashable {
      let key: ObjectKey
      let index: PropertyNumber
    }

    /// Who stands for an object that has lost, in the end; nil for any other.
    func survivor(of key: ObjectKey) -> ObjectKey? {
      guard var survivor = survivors[key] else { return nil }
      while let next = survivors[survivor] { survivor = next }
      return survivor
    }
  }

  /// Resolves the collisions that were found; others may come of it.
  ///
  /// - Throws: `StoreError.uniquenessViolations`, `.mergePolicyMistakes`.
  mutating func resolveCollisions() throws {
    let found = collisions
    collisions = []
    for collision in found { try resolve(collision) }
    if !mistakes.isEmpty { throw StoreError.mergePolicyMistakes(mistakes) }
    if !violations.isEmpty { throw StoreError.uniquenessViolations(violations) }
    try repointLinks()
  }

  private mutating func resolve(_ collision: Collision) throws {
    let (key, holder) = (collision.key, collision.holder)
    guard policy != .error else { return refuse(collision) }
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
    guard let entity = schema.entity(collision.key.entity) else { return }
    violations.append(
      UniquenessViolation(
        objectID: objectID(collision.key), entity: entity.description.name,
        attributes: collision.index.names(in: entity.description),
        existing: objectID(collision.holder)))
  }

  /// Whether the store does not have the object.
  private func isNew(_ key: ObjectKey) -> Bool {
    guard let item = item(of: key) else { return false }
    return item.old == nil
  }

  // MARK: - A new object gives way

  private mutating func merge(
    _ loser: ObjectKey, into survivor: ObjectKey, _ collision: Collision
  ) throws {
    guard let entity = schema.entity(survivor.entity), let theirs = try record(of: survivor),
      let (ours, slots, external) = try values(of: loser, as: entity, over: theirs)
    else { return }
    let conflict = Conflict(
      objectID: objectID(survivor), base: nil, ours: ours, theirs: theirs, changed: slots,
      external: external, schema: schema)
    switch policy.resolveConstraint(conflict, layout: entity.layout) {
    case .fail: return refuse(collision)
    case .mistaken(let found):
      mistakes += found
      return
    case .keepTheirs: break
    case .write(let record, let external):
      try revise(survivor, to: record, external: external)
      replacements.gained[survivor, default: SlotSet()].formUnion(slots)
    case .delete:
      // A constraint lets no object go that the store has.
      guard isNew(survivor) else { return refuse(collision) }
      try revise(survivor, to: nil)
      verdicts[survivor] = .goes
      return try revise(loser, to: nil)
    }
    replacements.survivors[loser] = survivor
    try revise(loser, to: nil)
  }

  /// The loser's values as a record of the survivor's entity, and which of them it set. Of another
  /// entity of the hierarchy it gives what both have.
  private mutating func values(
    of loser: ObjectKey, as entity: EntitySchema, over theirs: Record
  ) throws -> (Record, SlotSet, ExternalValues)? {
    guard let record = try record(of: loser), let own = schema.entity(loser.entity) else {
      return nil
    }
    let set = givenSlots(of: loser, record, own)
      .union(replacements.gained[loser] ?? SlotSet())
    let external = item(of: loser)?.external ?? ExternalValues()
    if own === entity { return (record, set, external) }
    let shared = zip(own.numbers, entity.numbers).prefix { $0 == $1 }.count
    let draft = Draft(layout: entity.layout, base: theirs)
    var slots = SlotSet()
    for slot in 0..<shared where entity.layout.places[slot].isPlaced {
      if own.layout.externalSlots.contains(slot) {
        draft.setExternal(external[slot], at: slot)
      } else {
        draft.setValue(
          record.value(at: slot, layout: own.layout, store: schema.store), at: slot)
      }
      if set.contains(slot) { slots.insert(slot) }
    }
    return (draft.changed.isEmpty ? theirs : encode(draft), slots, draft.external)
  }

  /// The slots that a new object was given another value in than the entity's default.
  private func givenSlots(
    of key: ObjectKey, _ record: Record, _ entity: EntitySchema
  ) -> SlotSet {
    guard let change = save.changes[key] else { return SlotSet() }
    if change.kind != .insert { return change.slots }
    var given = SlotSet()
    for slot in change.slots where entity.layout.places[slot].isPlaced {
      if entity.layout.externalSlots.contains(slot) {
        let initial = entity.description.properties[slot].attribute?.defaultValue ?? .null
        if record.stamp(at: slot, entity.layout) != initial.externalStamp { given.insert(slot) }
        continue
      }
      let value = record.value(at: slot, layout: entity.layout, store: schema.store)
      let initial = entity.description.properties[slot].attribute?.defaultValue ?? .null
      if value != initial { given.insert(slot) }
    }
    return given
  }

  // MARK: - A stored object keeps what it had

  /// Of two objects that the store has, ours is given back the value that it had, if the policy gives
  /// way to the store at all.
  private mutating func takeBack(_ collision: Collision) throws {
    let key = collision.key
    guard policy.givesWay, let layout = schema.entity(key.entity)?.layout,
      let former = item(of: key)?.old, let record = try record(of: key),
      replacements.reverted.insert(.init(key: key, index: collision.index.number)).inserted
    else { return refuse(collision) }
    if policy == .rollback { return try revise(key, to: former) }
    var slots = SlotSet()
    for part in collision.index.parts { slots.insert(part.slot) }
    var arena = RecordArena()
    try revise(
      key, to: layout.splice(base: record, changes: former, slots: slots, into: &arena))
  }

  // MARK: - Links

  /// Has the save's links of losers be those of the survivors, unless these have such links.
  private mutating func repointLinks() throws {
    if replacements.survivors.isEmpty || plan.links.isEmpty { return }
    var kept = LinkChanges()
    var moved: [MovedLink] = []
    for (place, links) in plan.links.byPlace {
      let owner = replacements.survivor(of: place.owner)
      for (target, state) in links {
        let end = replacements.survivor(of: target)
        if owner == nil && end == nil {
          kept.set(state, at: place, to: target)
        } else if state != .absent {
          moved.append(
            MovedLink(
              place: LinkPlace(place.relationship, owner ?? place.owner), target: end ?? target,
              state: state, formerOwner: place.owner, hasMovedOwner: owner != nil))
        }
      }
    }
    moved.sort { $0.isBefore($1) }
    var ends: [LinkPlace: ListEnd] = [:]
    for link in moved
    where link.place.owner != link.target && kept.state(at: link.place, to: link.target) == nil {
      if try view.link(at: link.place, to: link.target) != nil { continue }
      var state = link.state
      if link.hasMovedOwner, let relationship = orderedRelationship(at: link.place) {
        if ends[link.place] == nil {
          ends[link.place] = try end(of: relationship, at: link.place, &kept)
        }
        if let position = ends[link.place]?.next() { state = .present(position: position) }
      }
      kept.set(state, at: link.place, to: link.target)
    }
    plan.links = kept
  }
}

extension Value {
  /// The stamp that an external attribute with this default has in a new object.
  fileprivate var externalStamp: DataStamp? {
    if case .data(let data) = self { ExternalData(data).stamp } else { nil }
  }
}
