// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

// The write step of a batch delete, after all delete rules allow it. It reads a range of objects,
// plans the entries to remove, writes the plan as a save does, and releases it before the next
// range.

extension BatchDelete {
  /// The number of objects that are read before they are written. It bounds the memory for their
  /// records and entries.
  private static let chunkSize = 4_096

  mutating func write() throws {
    let emptied = try EmptiedEntities(deletions.counts, schema, takeView().store)
    for number in deletions.entities {
      guard let entity = schema.entity(number) else { continue }
      try delete(entity, emptied)
    }
    for tree in emptied.trees { try transaction.clear(tree) }
    try rewrite(cleared.keys.sorted()) { delete, key, old, _, arena in
      let (layout, slots) = try delete.clearedSlots(of: key, old)
      return layout.clearing(slots, in: old, into: &arena)
    }
    try rewrite(reached) { delete, key, old, view, _ in
      try delete.consequences?.record(of: key, old, in: view) ?? old
    }
    let (_, view) = takeView()
    try consequences?.check(in: view)
  }

  // MARK: - Deleting

  private mutating func delete(_ entity: EntitySchema, _ emptied: EmptiedEntities) throws {
    let keys = deletions.sorted(of: entity.number)
    let deletion = EntityDeletion(entity, emptied, trees)
    guard deletion.looksAtObjects else {
      completedCount += keys.count
      return
    }
    var rest = keys[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(Self.chunkSize)
      rest = rest.dropFirst(chunk.count)
      try write(try plan(chunk, deletion))
      completedCount += chunk.count
      watch.tell(completedCount, of: deletions.count)
    }
  }

  private mutating func plan(
    _ keys: ArraySlice<ObjectKey>, _ deletion: EntityDeletion
  ) throws -> SavePlan {
    let view = takeView().store
    var plan = SavePlan()
    var section = SavePlan.Section(entity: deletion.entity, items: [])
    section.items.reserveCapacity(keys.count)
    var arena = RecordArena()
    for key in keys {
      try step()
      let record = try record(of: key, view, into: &arena)
      section.items.append(
        SavePlan.Item(key: key, old: record, new: nil, deletion.entity.layout))
      for links in deletion.links { try plan.remove(links, of: key, in: view) }
      plan.removePositions(of: key, record, deletion.entity.layout, deletion.positions)
    }
    for index in deletion.indexes { plan.addEntries(of: section, index) }
    if !deletion.isEmptied { plan.sections = [section] }
    return plan
  }

  private func write(_ plan: consuming SavePlan) throws {
    plan.sortLinks()
    _ = try PlanWriter.write(plan, in: transaction, trees, generation: commit.generation)
  }

  // MARK: - Changing the objects that stay

  /// The new content of the record of an object that stays, over the transaction's current record.
  private typealias Revision = (
    inout BatchDelete, ObjectKey, Record, ReadView, inout RecordArena
  ) throws -> Record

  /// Writes the records that `revise` returns.
  ///
  /// - Parameter keys: ascending.
  /// - Throws: `StoreError.uniquenessViolations`.
  private mutating func rewrite(_ keys: [ObjectKey], _ revise: Revision) throws {
    var uniqueness = DeferredUniqueness()
    var rest = keys[...]
    while let first = rest.first {
      guard let entity = schema.entity(first.entity) else { throw damagedReferrer(first) }
      let chunk = rest.prefix(Self.chunkSize).prefix { $0.entity == first.entity }
      rest = rest.dropFirst(chunk.count)
      let plan = try plan(chunk, of: entity, revise)
      try note(plan)
      try write(plan)
      uniqueness.note(plan)
    }
    try uniqueness.check(in: takeView().read, watch)
  }

  private mutating func note(_ plan: SavePlan) throws {
    let view = takeView().store
    try history?.note(plan, in: view)
  }

  private mutating func plan(
    _ keys: ArraySlice<ObjectKey>, of entity: EntitySchema, _ revise: Revision
  ) throws -> SavePlan {
    let (view, read) = takeView()
    var plan = SavePlan()
    var section = SavePlan.Section(entity: entity, items: [])
    var arena = RecordArena()
    for key in keys {
      try step()
      let old = try record(of: key, view, into: &arena)
      let new = try revise(&self, key, old, read, &arena)
      let item = SavePlan.Item(key: key, old: old, new: new, entity.layout)
      guard item.isChange else { continue }
      section.items.append(item)
      rewritten.append(key)
    }
    for index in entity.indexes { plan.addEntries(of: section, index) }
    if !section.items.isEmpty { plan.sections = [section] }
    return plan
  }
}

/// The entries to remove with the objects of one entity.
private struct EntityDeletion {
  let entity: EntitySchema
  /// Whether the records go with their tree.
  let isEmptied: Bool
  let indexes: [IndexSchema]
  let links: [RelationshipEnds.Links]
  let positions: [RelationshipEnds.Target]

  init(_ entity: EntitySchema, _ emptied: EmptiedEntities, _ trees: Trees) {
    self.entity = entity
    isEmptied = emptied.empties(trees.records(of: entity.number))
    indexes = entity.indexes.filter { !emptied.empties(trees.entries(of: $0.number)) }
    links = entity.ends.links.filter { links in
      !emptied.empties(trees.entries(of: links.number))
        || links.mirror.map { !emptied.empties(trees.entries(of: $0)) } ?? false
    }
    positions = entity.ends.targets.filter { target in
      target.positions.map { !emptied.empties(trees.entries(of: $0)) } ?? false
    }
  }

  /// Whether there are entries outside the trees that are emptied.
  var looksAtObjects: Bool {
    !(isEmptied && indexes.isEmpty && links.isEmpty && positions.isEmpty)
  }
}
