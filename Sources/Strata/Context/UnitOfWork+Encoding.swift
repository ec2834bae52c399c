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
    obstacles.forget(object.key)
    registry.unregister(object)
  }

  // MARK: - Encoding

  /// Edits that have been encoded, and the overlay that they make of the working one.
  struct EncodedEdits {
    let composed: Segment
    let former: Overlay
    let settled: Overlay
    /// The changes of other objects than those that were edited.
    let reached: ChangeTable
  }

  /// Encodes the edits into the working overlay, so that reads and saves see them.
  func encodeEdits() {
    guard !edits.isEmpty else {
      // Serials belong to one turn, even if all objects that took some have been dropped.
      edits.serials = 0..<0
      return
    }
    guard let encoded = encodedEdits() else { return }
    if !encoded.reached.isEmpty { notifyReached(encoded) }
    show(encoded)
    if !encoded.reached.isEmpty { adoptReached(encoded) }
  }

  /// Encodes the edits and removes them. No code of the program runs but the deinits of
  /// objects that only the edits have held.
  ///
  /// - Returns: nil if there is no change.
  func encodedEdits() -> EncodedEdits? {
    let segment = edits.encode(schema: schema, cache: registry.cache)
    for key in edits.outdated { doubt.insert(key) }
    takeRefusals()
    let asBefore = edits.linksAsBefore
    edits.removeAll()
    guard !segment.isEmpty else { return nil }
    if !obstacles.overtaken.isEmpty { obstacles.overtaken.forget(setBy: segment.changes) }
    reporter.turn.note(segment, schema: schema)
    let composed = Composition.compose(segment, onto: working, schema: schema)
    undoRecorder?.record(composed, over: working, in: self)
    var settled = working.adding(composed).compacted()
    if !asBefore.isEmpty { settled = settled.forgetting([], links: asBefore) }
    return EncodedEdits(
      composed: composed, former: working, settled: settled,
      reached: reached(beyond: segment, composed))
  }

  func show(_ encoded: EncodedEdits) {
    show(encoded.settled)
    isPublished = false
  }

  /// Notifies observers of the objects that edits have reached, and changes these objects. The
  /// edits are shown already.
  func takeReached(_ encoded: EncodedEdits) {
    if encoded.reached.isEmpty { return }
    notifyReached(encoded)
    adoptReached(encoded)
  }

  private func notifyReached(_ encoded: EncodedEdits) {
    guard registry.observed != nil else { return }
    registry.willTake(
      encoded.composed, touching: encoded.reached.keys, on: encoded.former, in: encoded.settled)
  }

  private func adoptReached(_ encoded: EncodedEdits) {
    let changes = Segment(changes: encoded.reached, schema: schema)
    reporter.turn.append(takeOwn(changes, touching: encoded.reached.keys), schema: schema)
  }

  /// Takes over the values that drafts have refused. An object that has no other change is clean.
  private func takeRefusals() {
    for (key, refusals) in edits.refused { obstacles.refused[key] = refusals }
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

  /// Updates registered objects after a save to the store has failed: what was changed during the
  /// save is joined to the changes of the save. A new object may have been deleted.
  ///
  /// - Parameter newer: the changes during the save.
  func adopt(_ newer: Overlay) {
    for key in newer.segments.lazy.flatMap(\.changes.keys) {
      guard let object = registry.cache.registeredObject(for: key),
        let change = working.change(for: key), !change.isReadLock
      else { continue }
      adopt(change, for: object)
    }
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
    if change.isUnseenDeletion { return detach(object) }
    object.status = change.kind == .update ? statusOfUpdated(object.key) : change.status
    if let record = change.record { registry.cache.replaceRecord(record, of: object) }
    object.generation = change.base?.generation ?? 0
    registry.cache.notePending(nil, of: object)
  }

  /// The status of an object with an unsaved update. An object that is being saved for the first
  /// time is new until that save has succeeded.
  func statusOfUpdated(_ key: ObjectKey) -> ManagedObject.Status {
    pendingSave?.changeSet.changes[key]?.kind == .insert ? .inserted : .updated
  }
}
