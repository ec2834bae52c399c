// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The pending change of one object: the slots that were set, and their base.
///
/// A change is a *delta* with a complete record beside it. The delta is `slots` with their values
/// in `record`; a push, a merge or a save never writes any other slot. The record is the origin
/// (`base.record`) with these slots replaced. With it, the nearest change alone answers a read.
///
/// A change holds everything that its context has pending for the object, except for the changes of
/// a save under way: frozen segments are a state beneath the newer ones.
package struct Change: Sendable {
  package enum Kind: Sendable, Hashable {
    /// The object is new; nothing below the overlay has it.
    case insert
    case update
    case delete
  }

  package var kind: Kind
  /// The object's new record; nil for a delete.
  package var record: Record?
  /// The origin of the change, and its makers' readings. Nil for an insert. A delete without a base
  /// deletes an object that was pending all its life: no state beneath contains it.
  package var base: Base?
  /// The slots that were set. For an insert, also those that have a default.
  package var slots: SlotSet
  /// The bytes of the external slots among `slots`, which the store does not have yet. The record's
  /// other external slots are as in the base, and their bytes are where the base's are.
  package var external: ExternalValues

  /// Whether the change sets no slot. It then asks the store whether another save has changed the
  /// object since it was read, and counts as no change everywhere else.
  @inlinable package var isReadLock: Bool { kind == .update && slots.isEmpty }

  /// Whether the object came and went: no state beneath the context that made the change had it.
  @inlinable package var isUnseenDeletion: Bool { kind == .delete && base == nil }

  /// Whether a save would have something to do for it: not for an object that came and went, nor
  /// for one that was only read.
  @inlinable package var isAnything: Bool { !isUnseenDeletion && !isReadLock }

  /// A change that asks whether another save has changed the object since it was `read`.
  package static func readLock(_ read: Base) -> Change {
    .update(read.record, base: read, slots: SlotSet())
  }

  // The factories take the initializer that the compiler writes: one written by hand would copy the
  // whole change, counting all its references.

  package static func insert(
    _ record: consuming Record, slots: SlotSet, external: ExternalValues = ExternalValues()
  ) -> Change {
    Change(kind: .insert, record: record, base: nil, slots: slots, external: external)
  }

  package static func update(
    _ record: consuming Record, base: consuming Base, slots: SlotSet,
    external: ExternalValues = ExternalValues()
  ) -> Change {
    Change(kind: .update, record: record, base: base, slots: slots, external: external)
  }

  /// - Parameter base: nil if the object was never saved.
  package static func delete(base: Base?) -> Change {
    Change(
      kind: .delete, record: nil, base: base, slots: SlotSet(), external: ExternalValues())
  }

  /// The base of a change that a context makes when it is shown this change. Nil for a delete.
  package var read: Base? {
    record.map { record in base?.over(record) ?? Base(record: record, generation: 0) }
  }
}

extension Change {
  /// Whether makers of this change have not read the state `stored`, in properties for which that
  /// is a conflict. An update is in no conflict about attributes with merge rules; a deletion, and
  /// an object that was only read, are about the whole object.
  package func isOutdated(
    _ base: Base, by stored: StoredRecord, _ entity: EntitySchema
  ) -> Bool {
    if slots.isEmpty || entity.mergedSlots.isEmpty {
      return base.isOutdated(by: stored, setting: slots, where: entity.hasEqualEdits)
    }
    let contested = slots.subtracting(entity.mergedSlots)
    if contested.isEmpty { return false }
    return base.isOutdated(by: stored, setting: contested) {
      $0 == $1 || entity.contestedSlots($0, $1).isEmpty
    }
  }

  /// The record of this change, merged with `theirs` by merge rules: attributes with a rule have
  /// its result if the change sets them, and their value otherwise. The same record if both sides
  /// agree on these attributes; nil for a deletion.
  package func merging(
    _ theirs: Record?, _ entity: EntitySchema, into arena: inout RecordArena
  ) -> Record? {
    guard let record, let theirs, let origin = base?.record, !entity.mergedSlots.isEmpty else {
      return record
    }
    let merged = entity.merging(
      record, at: slots, origin: origin, ours: record, theirs: theirs, into: &arena)
    return entity.layout.splice(
      base: merged, changes: theirs, slots: entity.mergedSlots.subtracting(slots), into: &arena)
  }
}
