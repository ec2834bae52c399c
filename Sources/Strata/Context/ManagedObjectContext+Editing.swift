// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// A stretch of edits that is done as a whole or not at all.

extension ManagedObjectContext {
  /// Runs `body`; if it throws, everything that it did here is taken back: values, insertions,
  /// deletions with what their delete rules did, links, and what was recorded for undo. What was
  /// unsaved before stays as it was.
  ///
  /// ```swift
  /// try context.edit {
  ///   for row in rows { try City(in: context).read(row) }  // all of the rows or none
  /// }
  /// ```
  ///
  /// It is no turn and no save: when it returns, what the body did is unsaved like any edit, and
  /// children see it at the end of the turn. Edits nest; an inner one that throws takes back its own
  /// part. Within the body
  /// - nothing is published and no child's save lands unless the body uses a child, and `processPendingChanges()` waits for the
  ///   end: the saves are visible to readers at once as always, and land after;
  /// - `save()`, `rollback()` and `reset()` are final: a throw takes back what was done after them;
  /// - `undo()` and `redo()` are edits, and are taken back too;
  /// - a child that is used inside the body has the work so far published, and its save is taken back
  ///   with the rest. The child has handed its changes over: its objects are clean, and keep their
  ///   values until they are refreshed or fetched again.
  ///
  /// Objects that were inserted in the body are detached, as after `rollback()`.
  /// Core Data has no such thing: nearest is a child context that is thrown away.
  ///
  /// - Throws: what the body throws.
  public func edit<T>(_ body: () throws -> T) rethrows -> T {
    encodeEdits()
    savepoints.append(EditSavepoint(self))
    defer { if savepoints.isEmpty { merging.ringIfOwed() } }
    do {
      let result = try body()
      let finished = savepoints.removeLast()
      if !savepoints.isEmpty {
        savepoints[savepoints.count - 1].detached += finished.detached
        if finished.isAnnounced { savepoints[savepoints.count - 1].isAnnounced = true }
      }
      noteTouched()
      return result
    } catch {
      revert(to: savepoints.removeLast())
      noteTouched()
      throw error
    }
  }

  // MARK: - Bringing back

  private func revert(to savepoint: EditSavepoint) {
    // What is taken back is nothing to be undone.
    undoRecorder?.state.disabledCount += 1
    encodeEdits()
    undoRecorder?.state.disabledCount -= 1
    var undone = TurnChanges()
    if !working.isIdentical(to: savepoint.working) {
      let detached = Dictionary(
        savepoint.detached.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      for key in working.keysDiffering(from: savepoint.working) {
        note(key, revertedTo: savepoint.working.change(for: key), in: &undone)
        bringBack(key, as: savepoint.working.change(for: key), instance: detached[key])
      }
      replaceWorking(savepoint.working)
      isPublished = false
    }
    turnLeavingIntoFaults()
    turn = savepoint.isAnnounced ? undone : savepoint.turn
    if liveResults.isFetchedInEdit { liveResults.isBehind = true }
    if let undoRecorder, undoRecorder === savepoint.undoManager, let state = savepoint.undoState {
      undoRecorder.state = state
    }
  }

  /// Gives a registered object the state that it had.
  ///
  /// - Parameters:
  ///   - change: what is pending for the object after the reversal.
  ///   - instance: the one that the context has let go of meanwhile, if any.
  private func bringBack(_ key: ObjectKey, as change: Change?, instance: ManagedObject?) {
    let base = change == nil ? working.change(for: key)?.base : change?.base
    guard let record = change?.record ?? base?.record else {
      // It was not there.
      if let object = cache.object(for: key), change != nil || working.change(for: key) != nil {
        detach(object)
      }
      return
    }
    if let instance, cache.object(for: key) !== instance {
      if let other = cache.object(for: key) { detach(other) }
      reattach(instance)
    }
    guard let object = cache.object(for: key) else { return }
    switch change?.kind {
    case nil: object.status = .clean
    case .insert?: object.status = .inserted
    case .update?: object.status = change?.isReadLock == true ? .clean : .updated
    case .delete?: object.status = .deleted
    }
    object.recordWillChange(to: record)
    cache.replaceRecord(record, of: object)
    object.generation = base?.generation ?? 0
    if change == nil { cache.notePending(base?.beneathOrigin, of: object) }
  }

  /// Notes what observers who were told of a change are to be told now.
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

  // MARK: - Saves within an edit

  /// What is saved, rolled back or reset is final: edits that are under way begin anew here.
  func moveSavepoints() {
    for index in savepoints.indices { savepoints[index] = EditSavepoint(self) }
  }

  /// Children's saves that land in the middle of an edit are none of its edits, except for those of
  /// children that the body itself has used.
  func landInSavepoints(_ pushes: [Layer.Push]) {
    for index in savepoints.indices {
      for push in pushes where !push.isInReceiversTurn {
        let working = savepoints[index].working
        savepoints[index].working = working.adding(
          Composition.compose(
            pushed: push.segment, onto: working, on: ground(of: push, onto: working),
            schema: schema))
      }
    }
  }

  /// After a save to the store: one that was under way when the edit began has taken away what lies
  /// below the edit; one of the body itself is final.
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

  /// Observers hear of changes that may yet be taken back.
  func noteAnnouncedInSavepoints() {
    for index in savepoints.indices { savepoints[index].isAnnounced = true }
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
