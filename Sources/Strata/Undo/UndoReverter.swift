// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Taking a group back is an edit, and is recorded as one.

/// Takes one undo group back in one context.
///
/// ## Isolation
/// The context's.
final class UndoReverter: ContextPart {
  let reader: ContextReader
  private let loader: ObjectLoader
  private let relationships: RelationshipEditor
  private let deletion: DeletionEditor

  init(_ deletion: DeletionEditor) {
    reader = deletion.reader
    loader = deletion.loader
    relationships = deletion.relationships
    self.deletion = deletion
  }

  /// Reverts `group`.
  ///
  /// Updates, links and deleted objects come first; then the group's new objects are deleted by
  /// their delete rules, which reach no object of the group itself any more, and only objects that
  /// others have linked to them since.
  ///
  /// - Throws: the errors of reading; then part of it may be done.
  func revert(_ group: UndoGroup) throws {
    // An earlier error that waits to be thrown is unrelated.
    let earlierError = reporter.deferredError.take()
    defer { if let earlierError { reporter.note(earlierError) } }
    let reversal = try UndoReversal(
      of: group, in: reader.currentViewIncludingEdits(), by: self)
    let restored = Set(reversal.restored)
    // All of them before the first is deleted: a cascade may reach the others, and a later look-up
    // of an object that is gone makes a new instance.
    let inserted = reversal.inserted.compactMap { loader.instance(of: $0) }
    deletion.asDeletion(of: inserted) {
      apply(reversal)
      // In the order of keys, as all of a group: the order of hashes differs from run to run.
      for (key, change) in reversal.changes.sorted(by: { $0.key < $1.key }) {
        repairPartners(of: key, setting: change, among: restored)
      }
      for object in inserted { deletion.delete(object) }
    }
    try reporter.throwDeferredError()
    // Recording the deletions reads external values.
    work.encodeEdits()
    try reporter.throwDeferredError()
    try forgetWhatIsAsBefore(group)
    loader.awake(reversal.restored, from: .undoDeletion)
    loader.awake(
      reversal.changes.keys.sorted().filter { !restored.contains($0) }, from: .undoUpdate)
  }

  /// The object's state here, without values that an awake method has set: an object that is loaded
  /// keeps its values until it is refreshed. Nil if it is not there, also if the program holds it:
  /// an update would bring half of it back.
  func current(_ key: ObjectKey) throws -> Base? {
    if let change = work.working.change(for: key) { return change.read }
    let beneath = try reader.currentView().inheritedBase(of: key)
    if beneath != nil, let object = registry.cache.object(for: key), object.status == .clean,
      let base = registry.cache.base(of: object)
    {
      if !registry.cache.isCurrent(object) { work.doubt.insert(key) }
      return base
    }
    return beneath
  }

  /// Whether the view has an object, also if the program holds a stale instance.
  func isThere(_ key: ObjectKey) throws -> Bool {
    if let kind = work.working.kind(of: key) { return kind != .delete }
    return try reader.currentView().inheritedBase(of: key) != nil
  }

  /// The state of an object before its unsaved deletion here; nil if it is not deleted, or if a
  /// save under way carries a change of it.
  func unsavedDeletion(of key: ObjectKey) -> Base? {
    guard !work.working.isFrozen(key), let change = work.working.change(for: key),
      change.kind == .delete
    else { return nil }
    return change.base
  }

  private func apply(_ reversal: UndoReversal) {
    let segment = Segment(changes: reversal.changes, links: reversal.links, schema: schema)
    guard !segment.isEmpty || !reversal.lost.isEmpty else { return }
    let composed = Composition.compose(segment, onto: work.working, schema: schema)
    work.undoRecorder?.record(composed, over: work.working, in: work)
    // A deletion that is reverted before it is saved disappears: the state beneath shows through
    // again.
    let former = work.working
    let shown = Set(
      (reversal.restored + reversal.lost).filter { unsavedDeletion(of: $0) != nil })
    let remaining =
      shown.isEmpty ? work.working : work.working.forgetting(shown, links: LinkChanges())
    let settled = remaining.adding(composed).compacted()
    registry.willTake(segment, touching: composed.changes.keys, on: work.working, in: settled)
    work.changeWorking(to: settled)
    for key in reversal.restored { reattach(key) }
    for key in reversal.lost {
      guard let object = registry.cache.object(for: key) else { continue }
      restore(object, madeFrom: former.change(for: key)?.base, on: nil)
    }
    let taken = work.takeOwn(segment, touching: composed.changes.keys)
    let restored = Set(reversal.restored)
    reporter.turn.note(segment, schema: schema)
    reporter.turn.inserted += reversal.restored
    reporter.turn.updated += taken.updated.filter { !restored.contains($0) }
    reporter.turn.deleted += taken.deleted
    reporter.noteTouched()
  }

  /// Registers the instance that an object had before it was deleted, if the program holds it and
  /// the object has no other.
  private func reattach(_ key: ObjectKey) {
    guard let object = work.undoRecorder?.takeDetached(key), registry.cache.object(for: key) == nil
    else { return }
    registry.reattach(object)
  }

  /// If both sides of a relationship are to-one, makes the other side agree with a value that was
  /// restored, if either was linked elsewhere since.
  ///
  /// - Parameters:
  ///   - change: the change that set the object back.
  ///   - restored: the objects that came back.
  private func repairPartners(
    of key: ObjectKey, setting change: Change, among restored: Set<ObjectKey>
  ) {
    let former = change.base?.record
    guard let entity = schema.entity(key.entity) else { return }
    for end in entity.ends.targets where change.slots.contains(end.slot) {
      guard let back = end.partner, let object = loader.instance(of: key) else { continue }
      let target = relationships.toOneKey(of: object, at: end.slot)
      if let lost = former?.toOne(at: end.slot, layout: entity.layout), lost != target {
        relationships.letGo(of: object, lost, at: back)
      }
      guard let partner = target.flatMap({ loader.instance(of: $0) }), isThereBeneath(key, change)
      else { continue }
      let other = relationships.toOneKey(of: partner, at: back)
      if other == key { continue }
      if restored.contains(partner.key), isLinkedBeneath(partner, at: back, to: key) { continue }
      if let other = other.flatMap({ loader.instance(of: $0) }) {
        relationships.setToOneKey(nil, of: other, at: end.slot)
      }
      relationships.setToOneKey(key, of: partner, at: back)
    }
  }

  /// Whether an object that undo has updated is there beneath this context. Nothing is linked to
  /// one that others have deleted.
  private func isThereBeneath(_ key: ObjectKey, _ change: Change) -> Bool {
    guard change.kind == .update, work.working.kind(of: key) == .update else { return true }
    return reporter.attempt(orElse: false) {
      try reader.currentView().inheritedBase(of: key) != nil
    }
  }

  /// Whether a slot of an object without unsaved changes leads to `key` beneath this context: an
  /// object that came back may show an older state until it is refreshed.
  private func isLinkedBeneath(
    _ object: ManagedObject, at slot: Int, to key: ObjectKey
  ) -> Bool {
    work.editedSlots(of: object).isEmpty && reader.targetBeneath(object, at: slot) == key
  }

  // MARK: - As before

  /// Removes changes without effect: of objects that equal their base again, and of links that
  /// equal the parent's, or that have lost an end. Among them are those that had no effect in the
  /// group itself: a member that went to another list and came back.
  private func forgetWhatIsAsBefore(_ group: UndoGroup) throws {
    let reversal = work.undoRecorder?.state.open ?? UndoGroup()
    let view = try reader.currentView()
    // A link that was cut beneath an object that shows an older state is a change without effect
    // on what the object shows.
    let reverted = reversal.objects.filter { !$0.value.isNothing }.keys
    let (below, belowNewer) = (view.over(Overlay()), view.over(work.working.frozen))
    let keys = Set(
      try (Array(reverted) + group.objects.keys).filter { key in
        guard let change = work.working.change(for: key), change.kind == .update else {
          return false
        }
        return try change.record == change.base?.record && hasExternals(of: change, key, below)
      })
    var links = LinkChanges()
    for link in Array(reversal.links.keys) + group.links.keys {
      guard let state = work.working.link(at: link.place, to: link.target) else { continue }
      if try isDue(link.place.owner, keys, below), try isDue(link.target, keys, below) {
        let under = try belowNewer.link(at: link.place, to: link.target)
        guard state.applied(over: under) == under else { continue }
      }
      links.set(state, at: link.place, to: link.target)
    }
    guard !keys.isEmpty || !links.isEmpty else { return }
    let former = work.working
    let beneath = try keys.map { (key: $0, base: try below.inheritedBase(of: $0)) }
    work.changeWorking(to: work.working.forgetting(keys, links: links))
    for (key, base) in beneath where work.working.change(for: key) == nil {
      guard let object = registry.cache.object(for: key), object.status == .updated else {
        continue
      }
      restore(object, madeFrom: former.change(for: key)?.base, on: base)
    }
  }

  /// Whether the state of a link of an object means something: it is there, or deleted here.
  private func isDue(
    _ key: ObjectKey, _ forgotten: Set<ObjectKey>, _ below: ReadView
  ) throws -> Bool {
    guard let change = work.working.change(for: key), !forgotten.contains(key) else {
      return try below.exists(key)
    }
    return change.kind != .delete || change.base != nil
  }

  /// Makes an object clean after its change was undone. The object rests on the state beneath the
  /// context if it shows that state. Otherwise it keeps the readings of the change's setters.
  private func restore(_ object: ManagedObject, madeFrom read: Base?, on beneath: Base?) {
    let isAsBeneath = beneath?.record == read?.record
    let base = isAsBeneath ? beneath : read
    object.status = .clean
    object.generation = base?.generation ?? 0
    registry.cache.notePending(base, of: object)
    // The program may hold the object with its values.
    if !isAsBeneath { registry.cache.outdate(object.key) }
  }

  /// Whether `view` has the values to which a change sets external slots: its base may be silent
  /// about them.
  private func hasExternals(
    of change: Change, _ key: ObjectKey, _ view: ReadView
  ) throws -> Bool {
    guard let layout = schema.entity(key.entity)?.layout else { return true }
    return try layout.externalSlots.intersection(change.slots).allSatisfy { slot in
      try view.externalStamp(of: key, at: slot) == change.record?.stamp(at: slot, layout)
    }
  }
}
