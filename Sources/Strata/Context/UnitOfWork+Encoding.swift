// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Calls the life cycle methods of objects, except those of a save. They are the program's code and
// may do everything that the context allows, so they run only while its state is consistent, and
// only for entities that have them.

extension UnitOfWork {
  // MARK: - Leaving the context

  /// Removes an object from the context for good. An object with life cycle methods keeps its
  /// values until `turnLeavingIntoFaults`, and reads as deleted until then.
  func detach(_ object: ManagedObject) {
    guard object.status != .detached else { return }
    if object.observation != 0 { registry.objectWillGo(object) }
    undoRecorder?.noteDetached(object)
    if !savepoints.isEmpty { savepoints[savepoints.count - 1].detached.append(object) }
    object.draft = nil
    if !refused.isEmpty { refused[object.key] = nil }
    registry.unregister(object)
  }

  // MARK: - Encoding

  /// Encodes the edits into the working overlay, so that reads and saves see them.
  func encodeEdits() {
    guard !edits.isEmpty else {
      // Serials belong to one turn, even if all objects that took some have been dropped.
      edits.serials = 0..<0
      return
    }
    let segment = edits.encode(schema: schema, cache: registry.cache)
    for key in edits.outdated { doubt.insert(key) }
    takeRefusals()
    let asBefore = edits.linksAsBefore
    edits.removeAll()
    guard !segment.isEmpty else { return }
    reporter.turn.note(segment, schema: schema)
    let composed = Composition.compose(segment, onto: working, schema: schema)
    undoRecorder?.record(composed, over: working, in: self)
    var settled = working.adding(composed).compacted()
    if !asBefore.isEmpty { settled = settled.forgetting([], links: asBefore) }
    let reached = reached(beyond: segment, composed)
    if !reached.isEmpty, registry.observed != nil {
      registry.willTake(composed, touching: reached.keys, on: working, in: settled)
    }
    show(settled)
    isPublished = false
    if reached.isEmpty { return }
    let changes = Segment(changes: reached, schema: schema)
    reporter.turn.append(takeOwn(changes, touching: reached.keys), schema: schema)
  }

  /// Takes over the values that drafts have refused. An object that has no other change is clean.
  private func takeRefusals() {
    for (key, refusals) in edits.refused { refused[key] = refusals }
    for object in edits.unchanged where hasNoChange(of: object.key) { object.status = .clean }
  }

  /// The changes of composing `segment` beyond it. Edits may reach objects other than those at
  /// whose ends they were made: objects that lead to a deleted or relinked one although it does not
  /// lead back, because a partner of both was changed elsewhere.
  private func reached(beyond segment: Segment, _ composed: Segment) -> ChangeTable {
    if composed === segment { return ChangeTable() }
    return composed.changes.filter { key, change in
      segment.changes[key].map { $0.record != change.record } ?? true
    }
  }

  package func replaceWorking(_ overlay: Overlay) {
    if !orderedLists.isEmpty || !lostLinks.isEmpty, !overlay.isIdentical(to: working) {
      orderedLists.removeAll()
      lostLinks = LostLinks()
    }
    show(overlay)
  }

  /// Replaces the unsaved changes by others that the context's children have not seen.
  func changeWorking(to overlay: Overlay) {
    replaceWorking(overlay)
    isPublished = false
  }

  private func show(_ overlay: Overlay) {
    working = overlay
    view?.replaceOwn(overlay)
  }

  /// Updates registered objects to the result of an integrated save.
  ///
  /// - Parameters:
  ///   - sent: the child's changes.
  ///   - touched: the objects that the save has changed here.
  ///   - former: the context's changes before this save and those that are integrated with it.
  func take(
    _ sent: Segment, touching touched: [ObjectKey], over former: Overlay
  ) -> TurnChanges {
    var taken = TurnChanges()
    for key in touched {
      guard let kind = working.kind(of: key) else { continue }
      // One of the saves has inserted the object, and another has deleted it.
      if kind == .delete, former.kind(of: key) == nil,
        working.change(for: key)?.isUnseenDeletion == true
      {
        continue
      }
      guard let place = sent.changes.index(of: key) else {
        adopt(key, kind, isInserted: false, notingIn: &taken)
        continue
      }
      // The child has only read the object, or it came and went there.
      guard sent.changes.values[place].isAnything else { continue }
      let isInserted = sent.changes.values[place].kind == .insert
      adopt(key, kind, isInserted: isInserted, notingIn: &taken)
    }
    taken.noteAll(sent, schema: schema)
    return taken
  }

  /// Updates registered objects to changes that composing own edits, an undo or a merge has made.
  ///
  /// - Parameter touched: the objects that have changed.
  func takeOwn(_ segment: Segment, touching touched: [ObjectKey]) -> TurnChanges {
    var taken = TurnChanges()
    for key in touched {
      if let place = segment.changes.index(of: key), segment.changes.values[place].isReadLock {
        continue
      }
      guard let kind = working.kind(of: key) else { continue }
      adopt(key, kind, isInserted: false, notingIn: &taken)
    }
    taken.noteAll(segment, schema: schema)
    return taken
  }

  /// Updates a registered object to its pending change.
  ///
  /// - Parameter isInserted: whether the change has inserted the object; if not, one that is new
  ///   here was updated.
  private func adopt(
    _ key: ObjectKey, _ kind: Change.Kind, isInserted: Bool, notingIn taken: inout TurnChanges
  ) {
    switch kind {
    case .insert where isInserted: taken.inserted.append(key)
    case .insert, .update: taken.updated.append(key)
    case .delete: taken.deleted.append(key)
    }
    if let object = registry.cache.object(for: key), let change = working.change(for: key) {
      adopt(change, for: object)
    }
  }

  /// Updates an object without a draft to its state in the working overlay.
  private func adopt(_ change: Change, for object: ManagedObject) {
    if change.kind == .delete, change.base == nil { return detach(object) }
    object.status = change.kind == .update ? .updated : change.status
    if let record = change.record { registry.cache.replaceRecord(record, of: object) }
    object.generation = change.base?.generation ?? 0
    registry.cache.notePending(nil, of: object)
  }
}
