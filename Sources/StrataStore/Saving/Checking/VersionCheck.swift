// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// Compares the changes of a save with the stored records, and asks the merge policy to decide on
/// each conflict. Its result is the plan's sections.
///
/// ## Isolation
/// The writer thread.
struct VersionCheck {
  private let state: StateAfterSave
  private var conflicts: [MergePolicy.Conflict] = []
  private var mistakes: [MergePolicy.Mistake] = []

  init(_ state: StateAfterSave) { self.state = state }

  /// - Throws: `StoreError.mergePolicyMistakes`, `.conflicts`, `.serialsExhausted`,
  ///   `.serialsUnreserved`; `.damaged`, `LMDBError`.
  mutating func run() throws {
    for span in state.save.changes.spans {
      guard let entity = state.schema.entity(span.entity),
        let tree = state.view.trees.records(of: span.entity)
      else { stopProgram("a change set holds objects of the model's own entities") }
      try requireSerials(ofObjectsAt: span.range)
      var items: [SavePlan.Item] = []
      items.reserveCapacity(span.range.count)
      var stored = try StoredRecords(in: tree, of: state.view.transaction)
      for place in span.range {
        let key = state.save.changes.keys[place]
        if let envelope = try stored.envelope(of: key) {
          try check(place, of: key, entity, against: envelope, &items)
        } else {
          checkUnstored(state.save.changes.values[place], of: key, entity, &items)
        }
      }
      if !items.isEmpty {
        state.plan.sections.append(SavePlan.Section(entity: entity, items: items))
      }
    }
    if !mistakes.isEmpty { throw StoreError.mergePolicyMistakes(mistakes) }
    if !conflicts.isEmpty { throw StoreError.conflicts(conflicts) }
  }

  /// Requires that the store has given serials to the objects of one entity (I3 of
  /// `SerialAllocator`). Keys ascend, so the last one shows it.
  ///
  /// - Throws: `serialsExhausted`; `damaged` if the catalog is; `serialsUnreserved` if the store
  ///   has serials now.
  private func requireSerials(ofObjectsAt places: Range<Int>) throws {
    let last = places.upperBound - 1
    guard state.save.changes.keys[last].serialRange >= ObjectKey.serialRangeCount,
      state.save.changes.values[last].kind == .insert
    else { return }
    _ = try state.view.transaction.freeSerials(
      SerialAllocator.blockCount, state.view.trees, state.schema)
    throw StoreError.serialsUnreserved
  }

  private mutating func checkUnstored(
    _ change: Change, of key: ObjectKey, _ entity: EntitySchema, _ items: inout [SavePlan.Item]
  ) {
    switch change.kind {
    case .insert: add(key, old: nil, new: change.record, change.external, entity, &items)
    case .update: resolve(change, of: key, theirs: nil, entity, &items)
    // Both deleted it.
    case .delete: break
    }
  }

  /// Checks a change of a stored object. There is no conflict if the makers of the change had read
  /// the stored record, by generation or by bytes. Two saves that set the same value from the same
  /// base are a conflict: two increments of one counter must not both succeed.
  ///
  /// The store is the last receiver: an update sets its slots in the stored record, and no others.
  ///
  /// - Parameter place: the position of the change in its segment.
  private mutating func check(
    _ place: Int, of key: ObjectKey, _ entity: EntitySchema,
    against envelope: UnsafeRawBufferPointer, _ items: inout [SavePlan.Item]
  ) throws {
    // Nearly always; the whole change is not copied for it.
    if state.save.changes.values[place].base?.hasReadOriginAlone == true,
      let origin = state.save.changes.values[place].base?.record
    {
      // A record that was read above the store may have transient values.
      let origin = state.stored(origin, entity)
      if envelope.count == Envelope.byteCount(for: origin) {
        let stored = UnsafeRawBufferPointer(rebasing: envelope[Envelope.byteCount...])
        if origin.withUnsafeBytes({ $0.isEqual(to: stored) }) {
          let record = state.save.changes.values[place].record
          let external = state.save.changes.values[place].external
          return add(key, old: origin, new: record, external, entity, &items)
        }
      }
    }
    let change = state.save.changes.values[place]
    let (generation, bytes) = try state.view.check(envelope, of: key)
    let old = state.arena.append(copying: bytes)
    guard let base = change.base,
      !change.isOutdated(
        base, by: StoredRecord(record: old, generation: generation), entity)
        || PlantedFault.versionUnchecked.isPlanted(in: state.schema)
    else { return resolve(change, of: key, theirs: old, entity, &items) }
    let new = spliced(change, over: old, entity)
    if let new, let record = change.record, new != record {
      state.plan.merged.updateValue(new, forKey: key)
    }
    add(key, old: old, new: new, change.external, entity, &items)
  }

  /// The stored record with the slots of `change`; nil if that deletes the object.
  private func spliced(
    _ change: Change, over old: Record, _ entity: EntitySchema
  ) -> Record? {
    guard let record = change.record, let origin = change.base?.record else { return change.record }
    let stored = state.stored(origin, entity)
    if stored == old || PlantedFault.maskSkipped.isPlanted(in: state.schema) { return record }
    return entity.lay(
      record, madeFrom: stored, setting: change.slots, over: old, into: &state.arena)
  }

  private mutating func resolve(
    _ change: Change, of key: ObjectKey, theirs: Record?, _ entity: EntitySchema,
    _ items: inout [SavePlan.Item]
  ) {
    let conflict = MergePolicy.Conflict(
      of: change, objectID: state.objectID(key), theirs: theirs, entity, state.schema,
      into: &state.arena)
    switch state.policy.resolve(conflict, layout: entity.layout) {
    case .fail: conflicts.append(conflict)
    case .mistaken(let found): mistakes += found
    case .write(let record, let external):
      let isOurs = change.record.map { $0.isIdentical(to: record) } ?? false
      if !isOurs { state.plan.merged.updateValue(record, forKey: key) }
      add(key, old: theirs, new: record, external, entity, &items)
    case .delete:
      if change.record != nil { state.plan.merged.updateValue(nil, forKey: key) }
      add(key, old: theirs, new: nil, ExternalValues(), entity, &items)
    case .keepTheirs: state.plan.merged.updateValue(theirs, forKey: key)
    }
  }

  /// Plans the write of one object. A write that leaves the stored bytes unchanged is skipped.
  private func add(
    _ key: ObjectKey, old: Record?, new: Record?, _ external: ExternalValues,
    _ entity: EntitySchema, _ items: inout [SavePlan.Item]
  ) {
    let item = state.item(key, old: old, new: new, external, entity)
    if item.isChange { items.append(item) }
  }
}
