// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Checks one save against what the write transaction has, and works out what it writes.
///
/// The order: versions, and the merge policy's word on each conflict; then, over the state as it will
/// be after the save, links, derived attributes and uniqueness, and the policy's word on them, and
/// counts of members.
/// Each kind of failure is reported whole.
///
/// ## Lifetime
/// Its bytes are those of the transaction: nothing is written before it is gone.
///
/// ## Isolation
/// The writer thread.
struct SaveCheck {
  let save: ChangeSet
  let view: StoreView
  let schema: Schema
  let duties: [LinkDuties]

  var plan = SavePlan()
  var arena = RecordArena()
  private var conflicts: [Conflict] = []
  var mistakes: [MergePolicyMistake] = []
  var breaches: [LinkBreach] = []
  /// Breaches in which a delete rule denies: they may be gone when all is decided.
  var denied: [LinkBreach] = []
  var verdicts: [ObjectKey: DeletionVerdict] = [:]
  var revisions = Revisions()
  /// Whether links of the save are to be left out, because an end is not there.
  var dropsLinks = false
  var danglingLinks: [DanglingLink] = []
  var collisions: [Collision] = []
  var replacements = Replacements()
  var violations: [UniquenessViolation] = []
  var existing: KeyMemo

  var policy: MergePolicy { save.mergePolicy }

  /// What the save writes.
  ///
  /// - Throws: `StoreError.mergePolicyMistakes`, `.conflicts`, `.danglingLinks`,
  ///   `.uniquenessViolations`, `.countViolations`, `.damaged`; `LMDBError`.
  static func plan(
    _ save: ChangeSet, in transaction: WriteTransaction, _ queue: CommitQueue
  ) throws -> SavePlan {
    var check = SaveCheck(
      save: save, view: StoreView(transaction, queue.trees, queue.schema, generation: 0),
      schema: queue.schema, duties: queue.duties)
    try check.run()
    return check.plan
  }

  private init(save: ChangeSet, view: StoreView, schema: Schema, duties: [LinkDuties]) {
    self.save = save
    self.view = view
    self.schema = schema
    self.duties = duties
    existing = KeyMemo(expecting: save.changes.count)
  }

  private mutating func run() throws {
    try checkVersions()
    if !mistakes.isEmpty { throw StoreError.mergePolicyMistakes(mistakes) }
    if !conflicts.isEmpty { throw StoreError.conflicts(conflicts) }
    plan.links = save.links
    repeat {
      try resolveCollisions()
      try settleLinks()
      try derive()
      try planIndexes()
      try findCollisions()
    } while !collisions.isEmpty
    try checkCounts()
    try planLinks()
  }

  // MARK: - The state after the save

  /// What the save makes of an object.
  enum Outcome {
    /// The save does not speak of it.
    case untouched
    case deleted
    case record(Record)
  }

  func outcome(of key: ObjectKey) -> Outcome {
    if !plan.merged.isEmpty, let decided = plan.merged[key] {
      return decided.map(Outcome.record) ?? .deleted
    }
    guard let change = save.changes[key] else { return .untouched }
    return change.record.map(Outcome.record) ?? .deleted
  }

  /// Whether the object will be there after the save.
  mutating func exists(_ key: ObjectKey) throws -> Bool {
    if existing.contains(key) { return true }
    let exists =
      switch outcome(of: key) {
      case .untouched: try view.contains(key)
      case .deleted: false
      case .record: true
      }
    if exists { existing.insert(key) }
    return exists
  }

  func objectID(_ key: ObjectKey) -> ObjectID { ObjectID(store: schema.store, key: key) }

  // MARK: - Versions

  private mutating func checkVersions() throws {
    for span in save.changes.spans {
      guard let entity = schema.entity(span.entity), let tree = view.trees.records(of: span.entity)
      else { preconditionFailure("a change set holds objects of the model's own entities") }
      var items: [SavePlan.Item] = []
      items.reserveCapacity(span.range.count)
      var stored = try StoredRecords(in: tree, of: view.transaction)
      for place in span.range {
        let key = save.changes.keys[place]
        if let envelope = try stored.envelope(of: key) {
          try check(place, of: key, entity, against: envelope, &items)
        } else {
          checkUnstored(save.changes.values[place], of: key, entity, &items)
        }
      }
      if !items.isEmpty {
        plan.sections.append(SavePlan.Section(entity: entity, items: items))
      }
    }
  }

  private mutating func checkUnstored(
    _ change: Change, of key: ObjectKey, _ entity: EntitySchema, _ items: inout [SavePlan.Item]
  ) {
    switch change.kind {
    case .insert: add(key, old: nil, new: change.record, change.external, entity, &items)
    case .update: resolve(change, of: key, theirs: nil, entity, &items)
    // Both wanted it gone.
    case .delete: break
    }
  }

  /// A change of an object that the store has. It is no conflict if the makers of the change had read
  /// the stored record, by generation or by its bytes. If both savers want the same it is one: two that
  /// count up by one from the same base must not both succeed.
  ///
  /// The store is the last receiver: an update sets its slots in the stored record, and no others.
  ///
  /// - Parameter place: that of the change.
  private mutating func check(
    _ place: Int, of key: ObjectKey, _ entity: EntitySchema,
    against envelope: UnsafeRawBufferPointer, _ items: inout [SavePlan.Item]
  ) throws {
    // Nearly always; the whole change is not copied for it.
    if save.changes.values[place].base?.hasReadOriginAlone == true,
      let origin = save.changes.values[place].base?.record
    {
      // A record that was read above the store may have transient values.
      let origin = self.stored(origin, entity)
      if envelope.count == Envelope.byteCount(for: origin) {
        let stored = UnsafeRawBufferPointer(rebasing: envelope[Envelope.byteCount...])
        if origin.withUnsafeBytes({ $0.isEqual(to: stored) }) {
          let record = save.changes.values[place].record
          return add(
            key, old: origin, new: record, save.changes.values[place].external, entity, &items)
        }
      }
    }
    let change = save.changes.values[place]
    let (generation, bytes) = try view.check(envelope, of: key)
    let old = arena.append(copying: bytes)
    guard let base = change.base,
      !base.isOutdated(
        by: StoredRecord(record: old, generation: generation), setting: change.slots,
        where: entity.hasEqualEdits)
    else { return resolve(change, of: key, theirs: old, entity, &items) }
    let new = spliced(change, over: old, entity)
    if let new, let record = change.record, new != record {
      plan.merged.updateValue(new, forKey: key)
    }
    add(key, old: old, new: new, change.external, entity, &items)
  }

  /// The stored record with the slots of `change`; nil if that deletes the object.
  private mutating func spliced(
    _ change: Change, over old: Record, _ entity: EntitySchema
  ) -> Record? {
    guard let record = change.record, let origin = change.base?.record else { return change.record }
    if stored(origin, entity) == old || PlantedFault.maskSkipped.isPlanted(in: schema) {
      return record
    }
    return splice(record, into: old, at: change.slots, entity.layout)
  }

  private mutating func resolve(
    _ change: Change, of key: ObjectKey, theirs: Record?, _ entity: EntitySchema,
    _ items: inout [SavePlan.Item]
  ) {
    let conflict = Conflict(
      objectID: objectID(key), base: change.base?.shown(entity.layout, into: &arena),
      read: change.base, ours: change.record, theirs: theirs,
      changed: change.slots, external: change.external, schema: schema)
    switch policy.resolve(conflict, layout: entity.layout) {
    case .fail: conflicts.append(conflict)
    case .mistaken(let found): mistakes += found
    case .write(let record, let external):
      let isOurs = change.record.map { $0.isIdentical(to: record) } ?? false
      if !isOurs { plan.merged.updateValue(record, forKey: key) }
      add(key, old: theirs, new: record, external, entity, &items)
    case .delete:
      if change.record != nil { plan.merged.updateValue(nil, forKey: key) }
      add(key, old: theirs, new: nil, ExternalValues(), entity, &items)
    case .keepTheirs: plan.merged.updateValue(theirs, forKey: key)
    }
  }

  /// Plans what becomes of one object. What leaves the stored bytes as they are is not written.
  private mutating func add(
    _ key: ObjectKey, old: Record?, new: Record?, _ external: ExternalValues,
    _ entity: EntitySchema, _ items: inout [SavePlan.Item]
  ) {
    let item = item(key, old: old, new: new, external, entity)
    if item.isChange { items.append(item) }
  }

  mutating func encode(_ draft: Draft) -> Record { draft.encode(into: &arena) }

  /// `record` with the values that `other` has in `slots`.
  mutating func splice(
    _ other: Record, into record: Record, at slots: SlotSet, _ layout: RecordLayout
  ) -> Record {
    layout.splice(base: record, changes: other, slots: slots, into: &arena)
  }

  /// The record as it is stored: without transient values.
  @inline(__always)
  mutating func stored(_ record: Record, _ entity: EntitySchema) -> Record {
    entity.layout.transientSlots.isEmpty
      ? record : entity.layout.withoutTransients(record, into: &arena)
  }
}
