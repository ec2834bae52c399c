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
      noteLinks(revertedTo: savepoint.working, in: &undone)
      let detached = Dictionary(
        savepoint.detached.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      for key in working.keysDiffering(from: savepoint.working) {
        note(key, revertedTo: savepoint.working.change(for: key), in: &undone)
        bringBack(key, as: savepoint.working.change(for: key), instance: detached[key])
      }
      changeWorking(to: savepoint.working)
    }
    // The former changes do not rest on the state that the body has merged.
    for key in savepoint.endedDoubt { doubt.insert(key) }
    refused = savepoint.refused
    registry.turnLeavingIntoFaults()
    if !savepoint.isAnnounced { undone = undone.ofObjects(in: savepoint.announcedPushed) }
    reporter.turn = savepoint.isAnnounced ? TurnChanges() : savepoint.turn
    reporter.turn.append(standing(savepoint.lasting), schema: schema)
    noteLasting(undone)
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
  private func noteLinks(revertedTo former: Overlay, in undone: inout TurnChanges) {
    for segment in working.segmentsDiffering(from: former) {
      registry.linksWillChange(segment.links)
      undone.refreshed += segment.links.byPlace.keys.map(\.owner)
    }
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

  /// After a failed save to the store: if it was under way when a savepoint was taken, its changes
  /// are unsaved again in the savepoint, too.
  func recomposeSavepoints(over refused: PendingSave) {
    for index in savepoints.indices where savepoints[index].pendingSave === refused {
      savepoints[index].working = savepoints[index].working.recomposed(
        over: refused.changeSet.segments, schema: schema)
    }
  }

  /// An object's changes rest on the state beneath the context, after a merge.
  func endDoubt(of key: ObjectKey) {
    doubt.remove(key)
    for index in savepoints.indices { savepoints[index].endedDoubt.insert(key) }
  }

  // MARK: - Reports

  /// Observers are notified of changes that may yet be reverted.
  func noteAnnouncedInSavepoints() {
    for index in savepoints.indices {
      savepoints[index].isAnnounced = true
      savepoints[index].lasting = TurnChanges()
    }
  }

  /// Observers are notified of children's saves that may yet be reverted.
  func noteAnnouncedInSavepoints(_ pushes: [TurnChanges]) {
    for push in pushes {
      for index in savepoints.indices {
        savepoints[index].announcedPushed.formUnion(push.inserted + push.updated + push.deleted)
      }
    }
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
  private func standing(_ lasting: TurnChanges) -> TurnChanges {
    var standing = TurnChanges()
    standing.inserted = lasting.inserted
    standing.refreshed = lasting.refreshed + lasting.updated
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
  /// The segments that only one of the two overlays has.
  fileprivate func segmentsDiffering(from other: Overlay) -> [Segment] {
    removing(other.segments).segments + other.removing(segments).segments
  }

  /// The objects whose changes are not in the same segments here and there.
  fileprivate func keysDiffering(from other: Overlay) -> Set<ObjectKey> {
    segmentsDiffering(from: other).reduce(into: []) { $0.formUnion($1.changes.keys) }
  }
}
