// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataPrimitives
import StrataRecord

// The changes of an object: its attributes and to-one targets by name, as values without static
// type, as in `MergePolicy.Conflict`. Transient attributes are left out, and so are to-many
// relationships: links are not part of an object's own values.

extension ManagedObject {
  /// The properties whose values differ from the parent's, with their present values: for a new
  /// object, all that have a value. Empty for a fault, which does not fire. Core Data:
  /// `changedValues()`.
  public final func changedValues() -> [String: PropertyValue] {
    guard let context = context(for: .changes) else { return [:] }
    let committed = context.work.committedRecord(of: self)
    return values(of: differingSlots(context.work.editedSlots(of: self), from: committed)) {
      self.currentValue(at: $0)
    }
  }

  /// The parent's values, on which the unsaved changes are based. `.null` for each property of a
  /// new object. Loads a fault. Core Data: `committedValues(forKeys:)`.
  ///
  /// - Parameter names: of the properties; nil for all that are not external. Transient attributes,
  ///   to-many relationships and unknown names are skipped. An external attribute is read if it is
  ///   named; if another context has replaced its value since, it is skipped.
  public final func committedValues(forKeys names: [String]? = nil) -> [String: PropertyValue] {
    guard let context = context(for: .changes), isAlive else { return [:] }
    if isFault { context.loader.fire(self) }
    guard isAlive else { return [:] }
    let record = context.work.committedRecord(of: self)
    var slots = SlotSet()
    for slot in persistentSlots {
      if names?.contains(binding.entity.description.properties[slot].name)
        ?? !binding.layout.externalSlots.contains(slot)
      {
        slots.insert(slot)
      }
    }
    return values(of: slots) { self.value(at: $0, in: record) }
  }

  /// The properties that were changed since objectsDidChange was last posted, with their former
  /// values: `.null` for those of an object that is new since. External attributes are read; one
  /// whose value another context has replaced since is left out. Core Data:
  /// `changedValuesForCurrentEvent()`.
  public final func changedValuesForCurrentTurn() -> [String: PropertyValue] {
    guard let context = context(for: .changes) else { return [:] }
    let (former, slots) = context.reader.recordAtTurnStart(of: self)
    let differing = differingSlots(slots, from: former, isFormer: true)
    return values(of: differing) { self.value(at: $0, in: former) }
  }

  /// Whether a save would write something of this object: a property that is not transient really
  /// differs from the parent's, or links of a relationship that this object is one end of.
  /// `hasChanges` is also true if only transient attributes were set, or if values were set and set
  /// back. Core Data: `hasPersistentChangedValues`.
  public final var hasPersistentChangedValues: Bool {
    guard let context = context(for: .changes) else { return false }
    let committed = context.work.committedRecord(of: self)
    if !differingSlots(context.work.editedSlots(of: self), from: committed).isEmpty { return true }
    return context.work.hasPendingLinks(of: self)
  }

  // MARK: - Relationships

  /// Whether reading the relationship's objects would load something: the object is a fault, or its
  /// target is not loaded. Always true for a to-many relationship, whose view keeps no members.
  /// Nothing is loaded. Core Data: `hasFault(forRelationshipNamed:)`.
  ///
  /// - Precondition: the entity has a relationship of that name.
  public final func hasFault(forRelationshipNamed name: String) -> Bool {
    let relationship = binding.entity.relationship(named: name)
    guard let context = context(for: .relationship(slot: relationship.slot)), isAlive else {
      return false
    }
    if isFault || relationship.isToMany { return true }
    guard let key = context.relationships.targetKey(of: self, at: relationship.slot) else {
      return false
    }
    return context.registry.cache.object(for: key)?.isFault ?? true
  }

  /// The IDs of the objects at the other end, without loading those. Loads the object itself if it
  /// is a fault. Core Data: `objectIDs(forRelationshipNamed:)`.
  ///
  /// - Complexity: O(members).
  /// - Precondition: the entity has a relationship of that name.
  public final func objectIDs(forRelationshipNamed name: String) -> [ObjectID] {
    let relationship = binding.entity.relationship(named: name)
    guard let context = context(for: .relationship(slot: relationship.slot)) else { return [] }
    noteAccess(relationship.slot)
    let keys =
      relationship.isToMany
      ? context.relationships.members(of: self, relationship).map(\.key)
      : [context.relationships.targetKey(of: self, at: relationship.slot)].compactMap { $0 }
    return keys.map { ObjectID(store: binding.entity.store, key: $0) }
  }

  // MARK: - Slots

  private var persistentSlots: SlotSet {
    binding.layout.placedSlots.subtracting(binding.layout.transientSlots)
  }

  /// Those of `slots` that are persistent and whose values differ from `record`, the parent's;
  /// external values that equal the parent's present ones are left out.
  ///
  /// - Parameter isFormer: whether the record is the record at the beginning of the turn instead.
  private func differingSlots(
    _ slots: SlotSet, from record: Record?, isFormer: Bool = false
  ) -> SlotSet {
    var differing = SlotSet()
    for slot in slots.intersection(persistentSlots) {
      let isEqual: Bool
      if record != nil, binding.layout.externalSlots.contains(slot), let context = binding.context {
        isEqual =
          externalStamp(at: slot)
          == context.reader.externalStamp(of: key, at: slot, beforeTurn: isFormer)
      } else {
        let current = draft?.slot(slot) ?? self.record?.slot(slot, binding.layout)
        isEqual = current.map { $0.hasEqualBytes(record?.slot(slot, binding.layout)) } ?? true
      }
      if !isEqual { differing.insert(slot) }
    }
    withExtendedLifetime((draft, self.record, record)) {}
    return differing
  }

  private func currentValue(at slot: Int) -> PropertyValue? {
    if binding.layout.externalSlots.contains(slot) {
      guard externalStamp(at: slot) != nil else { return .null }
      return externalData(at: slot).map { .data($0.data) }
    }
    if let draft { return draft.value(at: slot, store: binding.entity.store) }
    return value(at: slot, in: record)
  }

  /// - Returns: nil for an external value that cannot be had any more.
  private func value(at slot: Int, in record: Record?) -> PropertyValue? {
    if let stamp = record?.stamp(at: slot, binding.layout) {
      return binding.context?.reader.formerExternalData(of: key, at: slot, fitting: stamp)
        .map { .data($0.data) }
    }
    return record?.value(at: slot, layout: binding.layout, store: binding.entity.store) ?? .null
  }

  private func values(of slots: SlotSet, _ value: (Int) -> PropertyValue?) -> [String:
    PropertyValue]
  {
    var values: [String: PropertyValue] = [:]
    for slot in slots { values[binding.entity.description.properties[slot].name] = value(slot) }
    return values
  }
}

extension EntitySchema {
  fileprivate func relationship(named name: String) -> RelationshipSchema {
    guard let slot = description.slot(named: name), let relationship = relationships[slot] else {
      stopProgram("\(description.name) has no relationship \(name): pass the name of one.")
    }
    return relationship
  }
}

extension _RecordSlot {
  fileprivate func hasEqualBytes(_ other: _RecordSlot?) -> Bool {
    switch (rawBytes, other?.rawBytes) {
    case (nil, nil): true
    case (let left?, let right?): left.elementsEqual(right)
    default: false
    }
  }
}
