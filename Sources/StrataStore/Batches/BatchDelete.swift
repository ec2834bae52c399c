// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// Deletes objects within a write transaction, by the model's delete rules, without making any
/// instances. The store ends in the same state as after deleting each object and saving.
///
/// | step | reads | memory for each object |
/// | --- | --- | --- |
/// | choose | the subject's objects; for cascades links and records | 8 bytes, a slot in a table |
/// | examine | links of the deleted objects | the same, for the objects at the other ends |
/// | write | records, a few thousand at a time, for their index entries | nothing |
///
/// A history takes 8 bytes more for each deleted object, and 24 bytes and the values for each that
/// leaves any.
///
/// Nothing is written before all rules allow it.
///
/// If all objects of an entity are deleted, its trees are emptied. If that can be decided without
/// reading any object (`EmptiedEntities.canGoUnseen`), nothing else is done.
///
/// ## Lifetime
/// Bytes and cursors of `view` are released before anything is written; later steps take their own
/// views.
///
/// ## Isolation
/// The writer thread.
struct BatchDelete {
  let deletion: BatchDeletion
  let commit: BatchCommit

  var consequences: (any DeletionConsequences)?
  var deletions = DeletionSet()
  /// The objects that stay, with their to-one slots that led to deleted objects.
  var cleared: [ObjectKey: SlotSet] = [:]
  /// Objects that stay, at the other ends of links that go.
  private var linked: Set<ObjectKey> = []
  private var denied: [(key: ObjectKey, slot: Int)] = []
  /// Objects that stay, in which something may follow.
  private(set) var reached: [ObjectKey] = []
  /// Objects that stay and were written.
  var rewritten: [ObjectKey] = []
  /// The changes for the store's history; nil if it keeps none.
  var history: HistoryRecord?
  var completedCount = 0
  private var stepCount = 0

  var transaction: WriteTransaction { commit.transaction }
  var trees: Trees { commit.queue.trees }
  var schema: Schema { commit.queue.schema }
  var watch: BatchWatch { commit.batch.watch }

  init(_ deletion: BatchDeletion, for commit: BatchCommit) {
    self.deletion = deletion
    self.commit = commit
    consequences = deletion.consequences?()
  }

  /// - Throws: `BatchDenial`, `CancellationError`, `StoreError`, `LMDBError`; the errors of the
  ///   deletion's closures. After an error the transaction can only be aborted.
  mutating func run() throws -> BatchOutcome {
    if let outcome = try deleteUnseen() { return outcome }
    try choose()
    if deletions.count == 0 { return BatchOutcome(count: 0, keys: nil) }
    try examine()
    try write()
    if history != nil {
      for entity in deletions.entities { history?.noteDeleted(deletions.sorted(of: entity)) }
    }
    return BatchOutcome(count: deletions.count, keys: commit.notesKeys ? changedKeys() : nil)
  }

  // MARK: - Steps

  func takeView() -> (store: StoreView, read: ReadView) { commit.takeView() }

  /// Called for each object that is dealt with.
  mutating func step() throws {
    stepCount += 1
    guard stepCount.isMultiple(of: BatchWatch.stride) else { return }
    try watch.check()
  }

  /// The record of an object that an index or a list of keys has named.
  func record(
    of key: ObjectKey, _ view: StoreView, into arena: inout RecordArena
  ) throws(StoreError) -> Record {
    guard let stored = try view.record(of: key, into: &arena) else {
      throw .damagedRecord(of: key, "an index leads to the record, and it is missing")
    }
    return stored.record
  }

  // MARK: - Emptying

  /// Deletes whole entities without a look at their objects, if that can be.
  ///
  /// - Returns: nil if it cannot; nothing was done then.
  private mutating func deleteUnseen() throws -> BatchOutcome? {
    guard case .all(let numbers) = deletion.subject,
      !numbers.contains(where: { history?.leavesTombstones($0) ?? false }),
      let (outcome, trees) = try planUnseen(numbers)
    else { return nil }
    for tree in trees { try transaction.clear(tree) }
    history?.noteDeleted(outcome.keys?.deleted ?? [])
    return outcome
  }

  private func planUnseen(
    _ numbers: [EntityNumber]
  ) throws -> (outcome: BatchOutcome, trees: [Tree])? {
    if let consequences, numbers.contains(where: consequences.concerns) { return nil }
    let view = takeView().store
    var counts: [EntityNumber: Int] = [:]
    for number in numbers { counts[number] = try view.count(of: number) }
    let count = counts.values.reduce(0, +)
    if count == 0 { return (BatchOutcome(count: 0, keys: nil), []) }
    let emptied = try EmptiedEntities(counts, schema, view)
    guard try emptied.canGoUnseen(schema, view) else { return nil }
    var keys: ChangedKeys?
    if commit.notesKeys || history != nil {
      keys = ChangedKeys(deleted: try allKeys(of: numbers, count, view))
    }
    return (BatchOutcome(count: count, keys: keys), emptied.trees)
  }

  private func allKeys(
    of numbers: [EntityNumber], _ count: Int, _ view: StoreView
  ) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    // The number comes from the file, and may be damaged.
    keys.reserveCapacity(min(count, 1 << 20))
    for number in numbers {
      try view.scanKeys(of: number) { key in
        keys.append(key)
        if keys.count.isMultiple(of: BatchWatch.stride) { try watch.check() }
        return .more
      }
    }
    return keys
  }

  private func changedKeys() -> ChangedKeys {
    var keys = ChangedKeys()
    keys.deleted.reserveCapacity(deletions.count)
    for entity in deletions.entities { keys.deleted += deletions.sorted(of: entity) }
    keys.updated = rewritten + Array(linked)
    return keys
  }

  // MARK: - Choosing

  private mutating func choose() throws {
    let (view, read) = takeView()
    switch deletion.subject {
    case .all(let numbers):
      for number in numbers {
        try view.scanKeys(of: number) { key in
          try step()
          deletions.insert(key)
          return .more
        }
      }
    case .found(let find):
      for key in try find(read.snapshot) where try view.contains(key) {
        try step()
        deletions.insert(key)
      }
    }
    try followCascades(view)
  }

  private mutating func followCascades(_ view: StoreView) throws {
    var pending: [ObjectKey] = []
    for entity in deletions.entities where schema.entity(entity)?.ends.have(.cascade) == true {
      pending += deletions.sorted(of: entity)
    }
    var arena = RecordArena()
    while let key = pending.popLast() {
      try step()
      for (member, _) in try others(of: key, by: .cascade, view, &arena)
      where try view.contains(member) {
        guard deletions.insert(member), schema.entity(member.entity)?.ends.have(.cascade) == true
        else {
          continue
        }
        pending.append(member)
      }
      // Releases the bytes that were read.
      arena = RecordArena()
    }
  }

  /// The objects at the other ends of the relationships of an object that have a delete rule,
  /// whether or not they are there, and the slot by which the object has them.
  private func others(
    of key: ObjectKey, by rule: DeleteRule, _ view: StoreView, _ arena: inout RecordArena
  ) throws -> [(key: ObjectKey, slot: Int?)] {
    guard let entity = schema.entity(key.entity) else { return [] }
    var others: [(key: ObjectKey, slot: Int?)] = []
    for target in entity.ends.targets where target.rule == rule && target.partner == nil {
      let record = try record(of: key, view, into: &arena)
      guard let other = record.toOne(at: target.slot, layout: entity.layout) else { continue }
      others.append((other, target.slot))
    }
    for referrer in entity.ends.referrers where referrer.rule == rule {
      let owners = try provenReferrers(to: key, referrer, view, &arena)
      others += owners.map { ($0, referrer.relationship) }
    }
    for links in entity.ends.links where links.rule == rule {
      others += try provenEnds(of: links, key, view).map { ($0, links.relationship) }
    }
    return others
  }

  /// The objects whose to-one slot leads to `key`, each of which has been asked: a cascade deletes
  /// them.
  ///
  /// - Throws: `StoreError.damaged` if the index names an object that does not lead to `key`.
  private func provenReferrers(
    to key: ObjectKey, _ referrer: RelationshipEnds.Referrer, _ view: StoreView,
    _ arena: inout RecordArena
  ) throws -> [ObjectKey] {
    let owners = try view.referrers(to: key, index: referrer.index)
    for owner in owners {
      let record = try record(of: owner, view, into: &arena)
      guard let layout = schema.entity(owner.entity)?.layout, layout.isToOne(referrer.slot),
        record.toOne(at: referrer.slot, layout: layout) == key
      else { throw damagedReferrer(owner) }
    }
    return owners
  }

  /// The ends of links, each of which is known from its other side: a cascade deletes them.
  ///
  /// - Throws: `StoreError.damaged` if a link has only one direction.
  private func provenEnds(
    of links: RelationshipEnds.Links, _ key: ObjectKey, _ view: StoreView
  ) throws -> [ObjectKey] {
    guard let mirror = links.mirror else { return [] }
    let ends = try view.targets(at: LinkPlace(links.number, key))
    for end in ends where try view.link(at: LinkPlace(mirror, end), to: key) == nil {
      throw StoreError.damagedLink(of: key, to: end)
    }
    return ends
  }

  // MARK: - Examining

  private mutating func examine() throws {
    let (view, read) = takeView()
    for number in deletions.entities {
      guard let ends = schema.entity(number)?.ends else { continue }
      let isOfConsequence = consequences?.concerns(number) ?? false
      let leavesTombstone = history?.leavesTombstones(number) ?? false
      if !ends.concernDeletion && ends.links.isEmpty && !isOfConsequence && !leavesTombstone {
        continue
      }
      let denies = ends.have(.deny)
      for key in deletions.sorted(of: number) {
        try step()
        var arena = RecordArena()
        if denies { try examineDenials(of: key, view, &arena) }
        try examineLinks(of: key, ends, view)
        if leavesTombstone {
          let record = try record(of: key, view, into: &arena)
          history?.noteTombstone(of: key, record)
        }
        if isOfConsequence {
          let record = try record(of: key, view, into: &arena)
          try consequences?.willDelete(key, record, in: read)
        }
      }
    }
    if !denied.isEmpty { throw BatchDenial(denied) }
    try examineCleared(view, read)
  }

  private mutating func examineDenials(
    of key: ObjectKey, _ view: StoreView, _ arena: inout RecordArena
  ) throws {
    var slots = SlotSet()
    for case (let other, let slot?) in try others(of: key, by: .deny, view, &arena)
    where try !slots.contains(slot) && !deletions.contains(other) && view.contains(other) {
      slots.insert(slot)
    }
    denied += slots.map { (key, $0) }
  }

  private mutating func examineLinks(
    of key: ObjectKey, _ ends: RelationshipEnds, _ view: StoreView
  ) throws {
    for referrer in ends.referrers where !PlantedFault.batchForgetsEnds.isPlanted(in: schema) {
      for owner in try view.referrers(to: key, index: referrer.index)
      where !deletions.contains(owner) {
        cleared[owner, default: SlotSet()].insert(referrer.slot)
      }
    }
    for links in ends.links where links.mirror != nil {
      for target in try view.targets(at: LinkPlace(links.number, key))
      where !deletions.contains(target) {
        linked.insert(target)
        if let mirror = links.mirror {
          history?.note(linksAt: LinkPlace(mirror, target), isRemoval: true)
        }
      }
    }
  }

  /// The slots of a remaining object that led to deleted objects, and the layout of these slots.
  ///
  /// - Throws: `StoreError.damaged` if an index says that the record leads to a deleted object, and
  ///   the record does not.
  func clearedSlots(
    of key: ObjectKey, _ record: Record
  ) throws(StoreError) -> (layout: RecordLayout, slots: SlotSet) {
    guard let layout = schema.entity(key.entity)?.layout else { throw damagedReferrer(key) }
    let slots = cleared[key] ?? SlotSet()
    for slot in slots {
      guard layout.isToOne(slot), let target = record.toOne(at: slot, layout: layout),
        deletions.contains(target)
      else { throw damagedReferrer(key) }
    }
    return (layout, slots)
  }

  func damagedReferrer(_ key: ObjectKey) -> StoreError {
    .damagedIndex(
      naming: key, "an index says that the object leads to one that is deleted, and it does not")
  }

  private mutating func examineCleared(_ view: StoreView, _ read: ReadView) throws {
    if consequences == nil { return }
    for key in cleared.keys.sorted() {
      try step()
      var arena = RecordArena()
      let record = try record(of: key, view, into: &arena)
      let slots = try clearedSlots(of: key, record).slots
      try consequences?.willClear(slots, of: key, record, in: read)
    }
    // A way to an object may lead through a link that was left dangling.
    reached =
      try consequences?.reached().filter { try !deletions.contains($0) && view.contains($0) } ?? []
  }
}
