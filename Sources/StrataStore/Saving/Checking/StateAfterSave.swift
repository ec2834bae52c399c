// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// The state of the store after a save, as far as it is decided: the save's changes, the results of
/// conflicts, and the writes that follow from them.
///
/// The steps of a check (`SaveCheck`) read and change it. State that only one step needs stays in
/// that step.
///
/// ## Lifetime
/// Its bytes belong to the transaction: it is released before anything is written.
///
/// ## Isolation
/// The writer thread.
final class StateAfterSave {
  let save: ChangeSet
  /// The store before the save.
  let view: StoreView
  let schema: Schema

  var plan = SavePlan()
  var arena = RecordArena()
  /// Objects whose state a conflict has changed from the save's, including objects outside the
  /// save.
  var revised: [ObjectKey: SavePlan.Item] = [:]
  /// Those that were revised since their links were last looked at.
  var freshlyRevised: [ObjectKey] = []
  /// The decisions on objects that the save deletes although other objects are linked to them.
  var verdicts: [ObjectKey: DeletionVerdict] = [:]
  /// The losers of constraint conflicts and their survivors. A survivor may have lost a later
  /// conflict.
  var survivors: [ObjectKey: ObjectKey] = [:]
  /// Whether links of the save are to be left out, because an end is not there.
  var dropsLinks = false
  /// Objects that were found to be there.
  var existing: KeyMemo

  var policy: MergePolicy { save.mergePolicy }

  init(_ save: ChangeSet, in transaction: WriteTransaction, _ queue: CommitQueue) {
    self.save = save
    view = StoreView(transaction, queue.trees, queue.schema, generation: 0)
    schema = queue.schema
    existing = KeyMemo(expecting: save.changes.count)
  }

  /// The decision on an object that the save deletes although other objects are linked to it.
  enum DeletionVerdict {
    /// The object is deleted, and its delete rules apply to the links that the save was unaware of.
    case goes
    /// Its deletion is dropped.
    case stays
    case refused
  }

  // MARK: - Objects

  /// The save's result for an object.
  enum Outcome {
    /// The save has no change of it.
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
  func exists(_ key: ObjectKey) throws -> Bool {
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

  /// The stored objects whose slot leads to `key` after the save.
  func referrers(
    to key: ObjectKey, index: PropertyNumber, slot: Int
  ) throws -> [ObjectKey] {
    try view.referrers(to: key, index: index).filter { owner in
      switch outcome(of: owner) {
      case .deleted: return false
      case .untouched: return true
      case .record(let record):
        guard let layout = schema.entity(owner.entity)?.layout else { return false }
        return record.toOne(at: slot, layout: layout) == key
      }
    }
  }

  /// Where a to-one slot leads after the save; nil if the object will not be there.
  func target(of key: ObjectKey, at slot: Int) throws -> ObjectKey? {
    guard let record = try record(of: key), let layout = schema.entity(key.entity)?.layout
    else { return nil }
    return record.toOne(at: slot, layout: layout)
  }

  /// The object at the other end of a one-to-one slot after the save; if that object has given way
  /// to a constraint, its survivor. Nil if there is none.
  func partner(of key: ObjectKey, at slot: Int) throws -> ObjectKey? {
    let partner = try target(of: key, at: slot)
    return partner.flatMap(survivor(of:)) ?? partner
  }

  /// Whether the tree has only positions, because to-one slots hold the relationship.
  func holdsPositions(_ place: LinkPlace) -> Bool {
    schema.entity(place.owner.entity)?.ends.links.contains {
      $0.number == place.relationship && $0.mirror == nil
    } ?? false
  }

  /// Whether the merge policy kept another save's deletion of the object: links to it are dropped
  /// with our changes.
  func isGoneByMerge(_ key: ObjectKey) -> Bool {
    guard !plan.merged.isEmpty, let decided = plan.merged[key] else { return false }
    return decided == nil
  }

  /// The final survivor of a loser; nil for any other object.
  func survivor(of key: ObjectKey) -> ObjectKey? {
    guard var survivor = survivors[key] else { return nil }
    while let next = survivors[survivor] { survivor = next }
    return survivor
  }

  // MARK: - Views

  /// The objects that the store shows after the save.
  func viewAfterSave() throws -> ReadView {
    let count = plan.sections.reduce(0) { $0 + $1.items.count }
    var changes = ChangeTable.Builder(expecting: count)
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
      own: Overlay([segment]), inherited: [], snapshot: view, schema: schema)
  }

  /// The links of the save, without those whose end a decision has removed.
  private func linksThatStay() throws -> LinkChanges {
    if plan.links.isEmpty || (!dropsLinks && plan.merged.isEmpty) {
      return plan.links
    }
    var kept = LinkChanges()
    for (place, links) in plan.links.byPlace {
      let isOwnerThere = try exists(place.owner)
      for (target, link) in links {
        let isThere = try link == .absent || (isOwnerThere && exists(target))
        kept.set(isThere ? link : .absent, at: place, to: target)
      }
    }
    return kept
  }

  // MARK: - Records

  func encode(_ draft: Draft) -> Record { draft.encode(into: &arena) }

  /// `record` with the values that `edit` sets in its draft.
  func edited(
    _ record: Record, _ layout: RecordLayout, _ edit: (Draft) -> Void
  ) -> Record {
    layout.edited(record, into: &arena, edit)
  }

  /// `record` with the values that `other` has in `slots`.
  func splice(
    _ other: Record, into record: Record, at slots: SlotSet, _ layout: RecordLayout
  ) -> Record {
    layout.splice(base: record, changes: other, slots: slots, into: &arena)
  }

  /// The record as it is stored: without transient values.
  @inline(__always)
  func stored(_ record: Record, _ entity: EntitySchema) -> Record {
    entity.layout.transientSlots.isEmpty
      ? record : entity.layout.withoutTransients(record, into: &arena)
  }
}
