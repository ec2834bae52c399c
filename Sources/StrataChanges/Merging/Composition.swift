// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// Lays newer changes over older ones: a child's save over its parent's changes, and drafts over a
/// context's own changes.
///
/// The receiver's visible record gets the slots that the newer change set. The visible record is
/// the receiver's pending one, or else the record beneath the receiver now: the record of a save
/// under way, or the record of the `Ground`. If the newer change was made from the very same bytes,
/// its own record is the result. Composition never fails; the store alone checks versions.
///
/// | newer | on older | result |
/// | --- | --- | --- |
/// | update | update | per property, the newer wins |
/// | update | insert | still an insert |
/// | update | delete, or an insert that was taken back | dropped |
/// | update | an object that the store has lost | stays; the merge policy decides |
/// | delete | insert | both are removed |
/// | delete | delete, or nothing | nothing |
/// | insert | delete | update |
/// | link with a deleted end | | dropped; its to-one slot becomes nil |
/// | link that is then as beneath | the opposite | neither stays: it is no change |
/// | one-to-one link | one that shares an end | the older is dropped: both slots of it become nil |
/// | delete | | its delete rules run again on members that only the older changes have |
///
/// Changes of a save under way are beneath the receiver: a newer change is laid over them and is
/// not joined with them.
///
/// Laying new objects over unrelated pending changes returns the newer segment itself; comparing
/// the key ranges is enough to decide that.
package struct Composition {
  let schema: Schema
  let newer: Segment
  /// The receiver's changes that no save carries.
  let older: Overlay
  /// The receiver's changes that a save under way carries.
  let frozen: Overlay
  /// All changes of the receiver.
  let all: Overlay
  /// The state beneath the receiver, of objects for which the sender's knowledge may be outdated.
  let ground: Ground
  /// Whether the newer changes are the receiver's own edits, made from the values that it shows
  /// itself.
  let isOwn: Bool
  /// Whether delete rules reach only those members whose link is an edit of the receiver.
  private(set) var reachesEditsAlone = false
  /// The results of the newer changes, and their effects on older ones; nil for a change that is
  /// dropped.
  var outcomes: [ObjectKey: Change?] = [:]
  var links: LinkChanges
  var arena = RecordArena()
  /// Whether anything of the newer changes became something else; if not, they are the result.
  var hasComposed = false
  /// Whether an object that the newer changes link to may not be there.
  let losesObjects: Bool

  /// The edits of a context on top of its own changes.
  package static func compose(_ newer: Segment, onto older: Overlay, schema: Schema) -> Segment {
    if older.isEmpty { return newer }
    return Composition(newer, onto: older, Ground(), isOwn: true, schema: schema).composed()
  }

  /// Lays deletions of other contexts over a context's own changes: their delete rules reach the
  /// objects that the context itself has linked to the deleted ones.
  package static func compose(
    goneBeneath newer: Segment, onto older: Overlay, schema: Schema
  ) -> Segment {
    var composition = Composition(newer, onto: older, Ground(), isOwn: true, schema: schema)
    composition.reachesEditsAlone = true
    return composition.composed()
  }

  /// Lays a child's save over the receiver's changes.
  ///
  /// - Parameter ground: the state beneath the receiver, of the objects that are in doubt, and of
  ///   the links that both have changed.
  /// - Returns: the save as the receiver has it, and the receiver's changes with it: without the
  ///   links that are as beneath.
  package static func compose(
    pushed newer: Segment, onto older: Overlay, on ground: Ground, schema: Schema
  ) -> (segment: Segment, settled: Overlay) {
    let hasPartners = newer.changes.spans.contains {
      schema.entity($0.entity)?.ends.partnered.isEmpty == false
    }
    let isAlone = older.isEmpty && ground.isEmpty && !hasPartners
    if isAlone && !newer.changes.hasVanished { return (newer, Overlay([newer])) }
    let segment = Composition(newer, onto: older, ground, isOwn: false, schema: schema).composed()
    let settled = older.adding(segment).compacted()
    if ground.links.isEmpty { return (segment, settled) }
    return (segment, settled.forgetting([], links: settled.links(asIn: ground.links, schema)))
  }

  private init(
    _ newer: Segment, onto older: Overlay, _ ground: Ground, isOwn: Bool, schema: Schema
  ) {
    self.schema = schema
    self.newer = newer
    self.older = older.unfrozen
    self.ground = ground
    self.isOwn = isOwn
    frozen = older.frozen
    all = older
    links = newer.links
    losesObjects =
      newer.changes.hasDeletes || older.segments.contains(where: \.changes.hasDeletes)
      || !ground.isEmpty
  }

  /// A segment to be put above the older changes.
  private consuming func composed() -> Segment {
    run()
    if !hasComposed { return newer }
    return Segment(
      changes: outcomes.isEmpty ? newer.changes : newer.changes.replacing(outcomes),
      links: links, schema: schema)
  }

  private mutating func run() {
    composeObjects()
    if newer.changes.hasDeletes, !PlantedFault.deletesStopShort.isPlanted(in: schema) {
      let deleted = newer.changes.keys.filter { change(of: $0)?.kind == .delete }
      for key in deleted { propagateDelete(of: key) }
    }
    for span in newer.changes.spans {
      guard let entity = schema.entity(span.entity) else { continue }
      let ends = entity.ends
      guard losesObjects && !ends.targets.isEmpty || !ends.partnered.isEmpty else { continue }
      for place in span.range {
        let key = newer.changes.keys[place]
        if losesObjects { dropToOneLinksToDeleted(from: key, entity) }
        if !ends.partnered.isEmpty {
          dropRivals(ofLinksFrom: key, setting: newer.changes.values[place].slots, entity)
        }
      }
    }
    if losesObjects, !links.isEmpty { dropLinksToDeleted() }
  }

  private mutating func composeObjects() {
    let touching = older.segments.filter { !$0.changes.isApart(from: newer.changes) }
    let carried = frozen.segments.filter { !$0.changes.isApart(from: newer.changes) }
    let isApart = touching.isEmpty && carried.isEmpty && ground.isEmpty
    if isApart && (isOwn || !newer.changes.hasVanished) { return }
    let (under, saving) = (Overlay(touching), Overlay(carried))
    for (key, change) in newer.changes {
      let composed: Change?
      if !isOwn, change.isUnseenDeletion {
        // An object that the sender inserted and deleted never reaches the receiver. If undo had
        // brought it back, others may have done so, too.
        composed = nil
      } else if let below = under.change(for: key) {
        composed = compose(change, of: key, overPending: below)
      } else if let below = saving.change(for: key), below.kind != .delete || below.base != nil {
        composed = compose(change, of: key, overSaving: below)
      } else if let state = ground.states[key] {
        composed = compose(change, of: key, onGround: state)
      } else {
        continue
      }
      hasComposed = true
      outcomes.updateValue(composed, forKey: key)
    }
  }

  /// The result of the newer changes for an object, or nil.
  func change(of key: ObjectKey) -> Change? {
    if !outcomes.isEmpty, let outcome = outcomes[key] { return outcome }
    return newer.change(for: key)
  }

  /// The pending change of an object so far: the newer change, the older one, or, as an update that
  /// sets nothing yet, the change of a save under way.
  func pendingChange(of key: ObjectKey) -> Change? {
    if let change = change(of: key) ?? older.change(for: key) { return change }
    guard let carried = frozen.change(for: key) else { return nil }
    return carried.read.map { .update($0.record, base: $0, slots: SlotSet()) } ?? carried
  }

  /// Whether the object is not there after the composition: deleted, or not found on the ground.
  func isDeleted(_ key: ObjectKey) -> Bool {
    losesObjects && (change(of: key).map { $0.kind == .delete } ?? isMissingBeneath(key))
  }

  /// Whether the receiver does not have the object, whatever the newer changes say.
  func isMissingBeneath(_ key: ObjectKey) -> Bool {
    if let change = older.change(for: key) ?? frozen.change(for: key) {
      return change.kind == .delete
    }
    switch ground.states[key] {
    case .deleted, .absent: return true
    case .there, nil: return false
    }
  }

  // MARK: - One object

  /// On a change that the receiver has pending.
  private mutating func compose(
    _ change: Change, of key: ObjectKey, overPending under: Change
  ) -> Change? {
    switch (change.kind, under.kind) {
    case (.update, .delete) where under.base == nil && !isOwn:
      // The receiver's insertion came and went.
      guard let entity = schema.entity(key.entity) else { return nil }
      if case .deleted = ground.states[key] { return nil }
      if let saving = frozen.change(for: key), saving.kind == .delete, saving.base != nil {
        return nil
      }
      return onLost(change, entity)
    case (.update, .delete) where PlantedFault.updateRevives.isPlanted(in: schema): return change
    case (.update, .delete), (.delete, .delete): return nil
    case (.delete, .insert): return .delete(base: under.base)
    case (.delete, .update):
      if isMade(change, from: under) { return .delete(base: under.base) }
      guard let origin = under.base?.record else { return change }
      return .delete(base: change.base?.moved(to: origin))
    case (.insert, .delete):
      guard let record = change.record else { return nil }
      guard let base = under.base else { return change }
      return .update(record, base: base, slots: change.slots, external: change.external)
    case (.update, _), (.insert, _): return update(change, over: under, of: key)
    }
  }

  private mutating func update(
    _ change: Change, over under: Change, of key: ObjectKey
  ) -> Change? {
    guard let record = change.record, let below = under.record,
      let entity = schema.entity(key.entity)
    else { return under }
    let layout = entity.layout
    var composed = under
    composed.record = laid(record, change, over: below, entity)
    if !isOwn, let ours = under.base, let theirs = change.base {
      composed.base = ours.taking(theirs.slots(change.slots, readBefore: below), from: theirs)
    }
    // If the object is new beneath, a save carries its insertion: this is an edit of it.
    let isEdit = isOwn && change.kind == .insert && under.kind == .update
    composed.slots.formUnion(isEdit ? layout.differingSlots(below, record) : change.slots)
    let isDropped = PlantedFault.bytesDropped.isPlanted(in: schema)
    composed.external = change.external.fitting(
      composed.record, layout, in: composed.slots,
      orElse: isDropped ? ExternalValues() : under.external)
    return composed
  }

  /// Whether a change was made from the receiver's own pending record. Then its maker has read the
  /// base of that record.
  private func isMade(_ change: Change, from under: Change) -> Bool {
    if isOwn { return true }
    guard let base = change.base, let pending = under.record else { return false }
    return base.hasRead(pending: pending)
  }

  /// `below` with the slots that `change` set. Equal bytes are the same record.
  private mutating func laid(
    _ record: Record, _ change: Change, over below: Record, _ entity: EntitySchema
  ) -> Record {
    let origin = change.base?.record
    if origin == below { return record }
    if PlantedFault.wholeRecords.isPlanted(in: schema) { return record }
    var laid = entity.lay(
      record, madeFrom: origin, setting: change.slots, over: below, into: &arena)
    if PlantedFault.mergedTwice.isPlanted(in: schema) {
      laid = entity.lay(laid, madeFrom: origin, setting: change.slots, over: below, into: &arena)
    }
    return laid == record ? record : laid
  }

  /// Over a change of a save under way, which is beneath the receiver.
  private mutating func compose(
    _ change: Change, of key: ObjectKey, overSaving under: Change
  ) -> Change? {
    guard let read = under.read, let entity = schema.entity(key.entity) else {
      return change.kind == .insert ? change : nil
    }
    var composed = change
    if change.base == nil {
      composed.base = read
    } else if isOwn, let origin = change.base?.record {
      composed.base = origin == read.record ? read : read.moved(to: origin)
    }
    if change.kind == .delete { return .delete(base: composed.base) }
    guard let record = change.record else { return change }
    if change.kind == .insert {
      composed.kind = .update
      composed.slots = entity.layout.differingSlots(read.record, record)
    }
    return moved(composed, to: read.record, entity)
  }

  /// Over the state beneath a receiver that has no pending change of the object.
  private mutating func compose(
    _ change: Change, of key: ObjectKey, onGround state: Ground.State
  ) -> Change? {
    guard let entity = schema.entity(key.entity) else { return change }
    switch (change.kind, state) {
    case (.insert, .there(let read)):
      guard let record = change.record else { return change }
      return .update(record, base: read, slots: change.slots, external: change.external)
    case (.insert, _): return change
    case (.delete, .there(let read)): return .delete(base: change.base?.moved(to: read.record))
    case (.delete, _), (.update, .deleted): return nil
    case (.update, .there(let read)):
      return moved(knowing(change, read, entity), to: read.record, entity)
    case (.update, .absent):
      return onLost(change, entity)
    }
  }

  /// On nothing: an insertion was taken back, or the store has lost the object.
  private mutating func onLost(_ change: Change, _ entity: EntitySchema) -> Change? {
    guard ground.keepsLost else { return nil }
    return change.base?.oldestCommitted(setting: change.slots).map { moved(change, to: $0, entity) }
  }

  /// The same change with a newer reading, if its makers read an object before any store had it and
  /// the store has it now: then the committed record counts as read.
  private func knowing(_ change: Change, _ read: Base, _ entity: EntitySchema) -> Change {
    guard let base = change.base, base.generation == 0, read.generation > 0,
      read.hasReadOriginAlone
    else { return change }
    var committed = change
    committed.base = base.committed(
      with: read.generation,
      StoredRecord(record: read.record, generation: read.generation),
      where: entity.hasEqualEdits)
    return committed
  }

  /// An update made from `origin` instead.
  private mutating func moved(
    _ change: Change, to origin: Record, _ entity: EntitySchema
  ) -> Change {
    guard let record = change.record, let base = change.base else { return change }
    if base.record == origin { return change }
    var moved = change
    moved.record = laid(record, change, over: origin, entity)
    moved.base = base.moved(to: origin)
    moved.external = change.external.fitting(moved.record, entity.layout, in: change.slots)
    return moved
  }

  /// Makes the to-one slot of a pending object nil.
  mutating func setToOneNil(_ slot: Int, of key: ObjectKey) {
    guard var change = pendingChange(of: key), let record = change.record,
      let layout = schema.entity(key.entity)?.layout
    else { return }
    hasComposed = true
    change.record = layout.clearing([slot], in: record, into: &arena)
    change.slots.insert(slot)
    outcomes.updateValue(change, forKey: key)
  }
}
