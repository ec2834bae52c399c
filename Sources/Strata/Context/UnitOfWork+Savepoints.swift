// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension UnitOfWork {
  // MARK: - Bringing back

  func revert(to savepoint: EditSavepoint) {
    // Reverting is not an action to be undone.
    undoRecorder?.state.disabledCount += 1
    encodeEdits()
    undoRecorder?.state.disabledCount -= 1
    var undone = TurnChanges()
    if !working.isIdentical(to: savepoint.working) {
      let detached = Dictionary(
        savepoint.detached.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      let differing = working.keysDiffering(from: savepoint.working)
      noteLinks(revertedTo: savepoint.working, apartFrom: differing, in: &undone)
      for key in differing {
        note(key, revertedTo: savepoint.working.change(for: key), in: &undone)
        notifyObservers(of: key, revertedTo: savepoint.working.change(for: key))
        bringBack(key, as: savepoint.working.change(for: key), instance: detached[key])
      }
      changeWorking(to: savepoint.working)
    }
    obstacles.refused = savepoint.refused
    registry.turnLeavingIntoFaults()
    reporter.turn = savepoint.isAnnounced ? TurnChanges() : savepoint.turn
    reporter.turn.append(standing(savepoint.lasting, without: undone.deleted), schema: schema)
    if savepoint.isAnnounced { noteLasting(undone) }
    if reporter.liveResults.isFetchedInSavepoint { reporter.liveResults.noteUnknown() }
    if let undoRecorder, undoRecorder === savepoint.undoManager, let state = savepoint.undoState {
      undoRecorder.state = state
    }
  }

  /// Gives a registered object its former state.
  ///
  /// - Parameters:
  ///   - change: the object's pending change after the reversal.
  ///   - instance: the instance that the context has released since, if any.
  private func bringBack(_ key: ObjectKey, as change: Change?, instance: ManagedObject?) {
    let base = change == nil ? working.change(for: key)?.base : change?.base
    guard let record = change?.record ?? base?.record else {
      // It was not there.
      if let object = registry.cache.object(for: key),
        change != nil || working.change(for: key) != nil
      {
        detach(object)
      }
      return
    }
    if let instance, registry.cache.object(for: key) !== instance {
      if let other = registry.cache.object(for: key) { detach(other) }
      registry.reattach(instance)
    }
    guard let object = registry.cache.object(for: key) else { return }
    object.status = change?.status ?? .clean
    registry.replaceRecord(record, of: object)
    object.generation = base?.generation ?? 0
    if change == nil { registry.cache.notePending(base?.beneathOrigin, of: object) }
  }

  /// Notes the reversal for observers that were notified of a change.
  private func note(
    _ key: ObjectKey, revertedTo former: Change?, in undone: inout TurnChanges
  ) {
    let now = working.change(for: key)
    let wasThere = former.map { $0.kind != .delete } ?? (now?.kind != .insert && now?.base != nil)
    let isThere = now.map { $0.kind != .delete } ?? wasThere
    switch (wasThere, isThere) {
    case (true, false): undone.inserted.append(key)
    case (false, true): undone.deleted.append(key)
    case (true, true): undone.refreshed.append(key)
    case (false, false): break
    }
  }

  /// Notes the reversal of links that no record has, and tells observers of the relationships.
  ///
  /// - Parameter noted: objects whose reversal is noted in any case.
  private func noteLinks(
    revertedTo former: Overlay, apartFrom noted: Set<ObjectKey>, in undone: inout TurnChanges
  ) {
    let differing =
      working.removing(former.segments).segments
      + former.removing(working.segments).segments
    for place in Set(differing.flatMap(\.links.byPlace.keys))
    where working.links(at: place) != former.links(at: place) {
      registry.linksWillChange(place.relationship, of: place.owner)
      if !noted.contains(place.owner) { undone.refreshed.append(place.owner) }
    }
  }

  /// Tells observers of an object's reversal, also if the object is not registered: it may become,
  /// or cease to be, a member of others' relationships.
  private func notifyObservers(of key: ObjectKey, revertedTo former: Change?) {
    if registry.isUnobserved { return }
    let now = working.change(for: key)
    let beneath = (former?.base ?? now?.base)?.record
    registry.recordWillChange(
      of: key, from: now == nil ? beneath : now?.record,
      to: former == nil ? beneath : former?.record)
  }

  // MARK: - Saves within a savepoint

  /// A save, rollback or reset is final: savepoints under way begin again here.
  func moveSavepoints() {
    for index in savepoints.indices { savepoints[index] = EditSavepoint(self) }
  }

  /// After a save to the store: a save that was under way when a savepoint began has removed the
  /// changes beneath it; a save of the body itself is final.
  func rebaseSavepoints(onto saved: ChangeSet, _ result: CommitResult) {
    for index in savepoints.indices {
      let below = savepoints[index].pendingSave?.changeSet.segments
      if let below, below.elementsEqual(saved.segments, by: ===) {
        savepoints[index].working = savepoints[index].working.rebased(
          onto: saved, result, schema: schema)
      } else {
        savepoints[index] = EditSavepoint(self)
      }
    }
  }

  // MARK: - Reports

  /// Observers are notified of changes that may yet be reverted.
  func markSavepointsAnnounced() {
    for index in savepoints.indices { savepoints[index].isAnnounced = true }
  }

  /// Observers are notified of the turn's changes, which may yet be reverted.
  func noteTurnAnnouncedInSavepoints() {
    markSavepointsAnnounced()
    for index in savepoints.indices { savepoints[index].lasting = TurnChanges() }
  }

  /// Notes a merge for the turn's report. No savepoint takes back the values that objects without
  /// unsaved changes got from it.
  func noteMerge(_ merged: TurnChanges) { noteLasting(merged) }

  /// Notes changes for the turn's report that no outer savepoint takes back.
  private func noteLasting(_ changes: TurnChanges) {
    reporter.turn.append(changes, schema: schema)
    for index in savepoints.indices { savepoints[index].lasting.append(changes, schema: schema) }
  }

  /// Notes objects that have become faults for the turn's report.
  func noteRefreshed(_ keys: [ObjectKey]) {
    var refreshed = TurnChanges()
    refreshed.refreshed = keys
    noteMerge(refreshed)
  }

  /// Lasting changes as they are to be reported after a savepoint was restored: objects that have
  /// their unsaved changes again are there, unless these delete them.
  ///
  /// - Parameter gone: objects that are not there any more.
  private func standing(_ lasting: TurnChanges, without gone: [ObjectKey]) -> TurnChanges {
    let gone = Set(gone)
    var standing = TurnChanges()
    standing.inserted = lasting.inserted
    standing.refreshed = (lasting.refreshed + lasting.updated).filter { !gone.contains($0) }
    for key in lasting.deleted {
      switch working.kind(of: key) {
      case nil: standing.deleted.append(key)
      case .delete: break
      case .insert, .update: standing.refreshed.append(key)
      }
    }
    return standing
  }
}

extension Overlay {
  /// The objects whose changes are not in the same segments here and there.
  fileprivate func keysDiffering(from other: Overlay) -> Set<ObjectKey> {
    var keys: Set<ObjectKey> = []
    for segment in removing(other.segments).segments + other.removing(segments).segments {
      keys.formUnion(segment.changes.keys)
    }
    return keys
  }
}
