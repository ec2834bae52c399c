// SPDX-License-Identifier: Apache-2.0
public import StrataModel
package import StrataRecord

extension MergePolicy {
  /// One object that two writers changed: the common base, the stored state, and the state to save.
  /// Core Data: `NSMergeConflict`.
  public struct Conflict: Sendable {
    /// The object that both writers changed.
    public let objectID: ObjectID
    /// The committed record that the makers of the change had read; nil if it inserted the object.
    package let base: Record?
    /// All that they had read.
    private let read: Base?
    /// The state to save; nil to delete.
    package let ours: Record?
    /// The stored state; nil if the object was deleted in the store.
    package let theirs: Record?
    /// The slots that the save set by intent.
    package let changed: SlotSet
    /// The bytes of the external slots that the save sets.
    package let external: ExternalValues
    package let schema: Schema

    package init(
      objectID: ObjectID, base: Record?, read: Base? = nil, ours: Record?, theirs: Record?,
      changed: SlotSet, external: ExternalValues = ExternalValues(), schema: Schema
    ) {
      self.objectID = objectID
      self.base = base
      self.read = read
      self.ours = ours
      self.theirs = theirs
      self.changed = changed
      self.external = external
      self.schema = schema
    }

    /// The conflict of a change with a state that its makers had not read.
    package init(
      of change: Change, objectID: ObjectID, theirs: Record?, _ entity: EntitySchema,
      _ schema: Schema, into arena: inout RecordArena
    ) {
      self.init(
        objectID: objectID, base: change.base?.shown(entity.layout, into: &arena),
        read: change.base, ours: change.merging(theirs, entity, into: &arena), theirs: theirs,
        changed: change.slots, external: change.external, schema: schema)
    }

    /// The attributes and to-one targets that the change was made from, by property name; nil if
    /// the object was new.
    public var baseValues: [String: PropertyValue]? { base.map(values) }

    /// The values to save; nil if the save deletes the object. Attributes with a merge rule have
    /// the results of that: they are in no conflict, and every policy but `.custom` saves them.
    /// External attributes are included if the save sets them, and not otherwise: their bytes are
    /// in the store. `ourChanges` and `theirChanges` say whether they differ.
    public var ourValues: [String: PropertyValue]? { ours.map(values) }

    /// The stored values; nil if the store has deleted the object.
    public var theirValues: [String: PropertyValue]? { theirs.map(values) }

    /// The properties that the save sets. Empty if it deletes the object, and if it has only read
    /// it (`ManagedObjectContext.detectConflicts(for:)`).
    public var ourChanges: Set<String> { names(of: changed) }

    /// The properties in which the stored state differs from the base of the change. Attributes
    /// with a merge rule are not among them. Empty if the store has deleted the object, or the save
    /// inserted it.
    public var theirChanges: Set<String> {
      entitySchema.map { names(of: changedByThem($0.layout)) } ?? []
    }

    /// The name of the object's entity.
    public var entity: String { entitySchema?.description.name ?? "" }

    /// The slots that both have set; nil if the conflict is about the whole object.
    package var contested: SlotSet? {
      guard let base, let theirs, let entitySchema, ours != nil, !changed.isEmpty else {
        return nil
      }
      return entitySchema.contestedSlots(base, theirs).intersection(changed)
    }

    /// Whether the save changes nothing in the object, and only requires that no other save has
    /// changed it.
    package var isReadOnly: Bool { changed.isEmpty && base != nil && ours != nil }

    var entitySchema: EntitySchema? { schema.entity(objectID.key.entity) }

    /// A slot counts as changed by the other side if it differs from every value that was read.
    func changedByThem(_ layout: RecordLayout) -> SlotSet {
      guard let base, let theirs else { return SlotSet() }
      let changed =
        read?.slotsDiffering(from: theirs, layout) ?? layout.differingSlots(base, theirs)
      guard let entitySchema else { return changed.subtracting(layout.transientSlots) }
      return changed.subtracting(layout.transientSlots).subtracting(entitySchema.derivedSlots)
        .subtracting(entitySchema.mergedSlots)
    }

    /// Their state with the results of merge rules in the attributes that the save sets; nil if the
    /// two states are equal. A policy that keeps theirs keeps this state.
    func theirsMerged(_ layout: RecordLayout, into arena: inout RecordArena) -> Record? {
      guard let ours, let theirs, let slots = entitySchema?.mergedSlots.intersection(changed),
        !slots.isEmpty
      else { return nil }
      let merged = layout.splice(base: theirs, changes: ours, slots: slots, into: &arena)
      return merged == theirs ? nil : merged
    }

    private func names(of slots: SlotSet) -> Set<String> {
      guard let entitySchema else { return [] }
      return Set(slots.map { entitySchema.description.properties[$0].name })
    }

    private func values(_ record: Record) -> [String: PropertyValue] {
      guard let entitySchema else { return [:] }
      var values: [String: PropertyValue] = [:]
      for (slot, property) in entitySchema.description.properties.enumerated()
      where property.relationship?.isToMany != true {
        if let stamp = record.stamp(at: slot, entitySchema.layout) {
          if let set = external.value(at: slot, fitting: stamp) {
            values[property.name] = .data(set.data)
          }
          continue
        }
        values[property.name] = record.value(
          at: slot, layout: entitySchema.layout, store: schema.store)
      }
      return values
    }
  }
}

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension MergePolicy.Conflict: CustomStringConvertible, CustomReflectable {}
