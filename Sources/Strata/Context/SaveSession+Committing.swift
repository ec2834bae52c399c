// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

// A save to the store: begun in one turn of the context, and finished in another.

extension SaveSession {
  /// Saves one level up, and leaves the isolation while the store writes.
  func save(isolation: isolated (any Actor)?) async throws {
    guard let save = try beginSave() else { return }
    await save.finished()
    try finish(save)
  }

  func commitToStore(lendingThread lendsThread: Bool) throws -> PendingSave {
    while !layer.freeze(work.working) {
      work.isPublished = false
      try prepareToSave()
    }
    let save = PendingSave(
      ChangeSet(
        work.working, mergePolicy: mergePolicy, author: reporter.transactionAuthor,
        contextName: reporter.name, origin: layer.identity),
      operation)
    work.pendingSave = save
    work.view = nil
    coordinator.store.commit(save.changeSet, lendingThread: lendsThread) { save.complete($0) }
    PausePoint.sent.reach(schema)
    return save
  }

  /// Finishes a save to the store in a turn of its own context: on success the context releases the
  /// changes that the store now has; on failure all changes stay unsaved.
  func finish(_ save: PendingSave) throws {
    if let outcome = save.outcome { return try outcome.get() }
    // Later changes were made from the state before the save.
    work.encodeEdits()
    work.pendingSave = nil
    // A hook or an observer of the save may make the merge that was postponed.
    let hadUnmergedChanges = merger.hasUnmergedChanges
    defer { merger.scheduleMergeIfNeeded(hadUnmergedChanges: hadUnmergedChanges) }
    switch save.result {
    case .success(let result):
      complete(save.changeSet, result)
      save.outcome = .success(())
      save.operation?.end(OperationOutcome())
    case .failure(let error):
      PausePoint.refused.reach(schema)
      layer.unfreeze(save.changeSet.segments)
      let newer = work.working.removing(save.changeSet.segments)
      if !newer.segments.isEmpty {
        work.changeWorking(to: recomposed(work.working, over: save))
        work.adopt(newer)
      }
      // Children that saved during this save composed their changes apart from the frozen ones. The
      // inbox has their changes still, and is composed over the unfrozen ones.
      work.isPublished = false
      for index in work.savepoints.indices where work.savepoints[index].pendingSave === save {
        work.savepoints[index].working = recomposed(work.savepoints[index].working, over: save)
      }
      save.outcome = .failure(error)
      save.operation?.end(OperationOutcome(error: error))
      throw error
    }
  }

  /// Unsaved changes after a save was refused: with its changes, which are unsaved again.
  private func recomposed(_ overlay: Overlay, over refused: PendingSave) -> Overlay {
    overlay.recomposed(over: refused.changeSet.segments, schema: schema) {
      try reader.takeView().over(Overlay())
    }
  }

  private func complete(_ changeSet: ChangeSet, _ result: CommitResult) {
    PausePoint.committed.reach(schema)
    let withDidSave = registry.objectsWithDidSave(of: changeSet.changes)
    registry.willTakeOutcome(result, of: changeSet)
    work.replaceWorking(work.working.rebased(onto: changeSet, result, schema: schema))
    let beneath = rebaseLayer(onto: changeSet, result)
    // The layer's rebased segments are others than the context's: the next save freezes the latter.
    if !work.working.isEmpty { work.isPublished = false }
    PausePoint.published.reach(schema)
    var gone = updateRegisteredObjects(after: changeSet, result)
    gone += takeDecided(result, beyond: changeSet, under: beneath)
    if !work.savepoints.isEmpty { work.rebaseSavepoints(onto: changeSet, result) }
    noteMerged(changeSet, result)
    if merger.isAutomatic {
      for (key, record) in result.merged where record == nil { merger.postponed.insert(key) }
    }
    work.view = nil
    reader.movePin()
    loader.awake(
      result.merged.keys.lazy.filter { result.derived[$0] == nil }, from: .mergePolicy)
    concludeSave(
      of: Overlay(changeSet.segments), result, callingDidSaveOf: withDidSave, detaching: gone)
  }

  /// Rebases the layer's published changes and its inbox onto the save.
  ///
  /// - Returns: the unsaved changes of the layer's ancestors.
  private func rebaseLayer(onto changeSet: ChangeSet, _ result: CommitResult) -> Overlay {
    // Pushes may go on arriving. Earlier ones are not rebased again: a saver that pushes faster
    // than the rebase would keep this going for ever, and the inbox growing.
    var inbox = Inbox()
    while true {
      let state = layer.current
      for push in state.inbox.dropFirst(inbox.count) {
        let rebased = Overlay([push.segment]).rebased(onto: changeSet, result, schema: schema)
        inbox.append(push.carrying(rebased.segments.first ?? push.segment))
      }
      let published = state.published.rebased(onto: changeSet, result, schema: schema)
      if layer.feed.isFollowed { published.prepareRuns(askedOf: state.published) }
      let beneath = layer.parent.map { _ in layer.beneath() }
      let newer = Overlay(beneath?.segments ?? [])
      let event = ChangeEvent(saved: changeSet, result, rebased: published, on: newer)
      if layer.replace(
        published, inbox: inbox, ifStill: state.revision, on: beneath, event: event)
      {
        return newer
      }
    }
  }

  /// Gives the registered objects of the save their states after it.
  ///
  /// - Returns: the deleted objects.
  private func updateRegisteredObjects(
    after changeSet: ChangeSet, _ result: CommitResult
  ) -> [ManagedObject] {
    var gone: [ManagedObject] = []
    let isPlain = work.working.isEmpty && result.merged.isEmpty
    for (index, key) in changeSet.changes.keys.enumerated() {
      guard let object = registry.cache.registeredObject(for: key) else { continue }
      let isDelete = changeSet.changes.values[index].kind == .delete
      if isPlain, !isDelete {
        // No newer changes and no other decisions: nearly always.
        object.generation = result.generation
        object.status = .clean
      } else if isPlain
        || !updateState(of: object, after: changeSet.changes.values[index], result)
      {
        object.status = .deleted
        gone.append(object)
      }
    }
    return gone + objectsThatCameAndWent(in: changeSet)
  }

  /// The registered objects that the save has not told the store of. Others may have brought one of
  /// them back.
  private func objectsThatCameAndWent(in changeSet: ChangeSet) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    for segment in changeSet.segments where segment.changes.hasVanished {
      for (key, change) in segment.changes
      where change.isUnseenDeletion && work.working.change(for: key) == nil {
        guard let object = registry.cache.registeredObject(for: key),
          object.status == .deleted || object.status == .gone
        else { continue }
        objects.append(object)
      }
    }
    return objects
  }

  /// Updates registered objects outside the save that the store has changed: a delete rule or a
  /// constraint reached them there, or a derived attribute of theirs follows from the save. Their
  /// unsaved changes stay, on their old base.
  ///
  /// - Parameter newer: the changes of ancestors, which hide the store's state.
  /// - Returns: the deleted objects.
  private func takeDecided(
    _ result: CommitResult, beyond changeSet: ChangeSet, under newer: Overlay
  ) -> [ManagedObject] {
    var gone: [ManagedObject] = []
    for (key, merged) in result.merged where changeSet.changes[key] == nil {
      guard let object = registry.cache.registeredObject(for: key), object.status == .clean,
        work.working.change(for: key) == nil
      else { continue }
      if newer.change(for: key)?.record != nil {
        merger.makeFault(object)
      } else if let merged {
        if !object.isFault { registry.cache.replaceRecord(merged, of: object) }
        object.generation = result.generation
      } else {
        object.status = .deleted
        gone.append(object)
      }
    }
    return gone
  }

  /// Notes the store's changes of objects, which the turn's objectsDidChange reports.
  private func noteMerged(_ changeSet: ChangeSet, _ result: CommitResult) {
    for (key, merged) in result.merged {
      switch (changeSet.changes[key]?.kind, merged) {
      case (_, nil): reporter.turn.deleted.append(key)
      case (.delete, _): reporter.turn.inserted.append(key)
      default: reporter.turn.refreshed.append(key)
      }
    }
    if !result.merged.isEmpty { reporter.noteTouched() }
  }

  /// Gives a registered object its state after the store has committed `change`.
  ///
  /// - Returns: false if the object is deleted for good.
  private func updateState(
    of object: ManagedObject, after change: Change, _ result: CommitResult
  ) -> Bool {
    let newer = work.working.change(for: object.key)
    if let newer {
      if newer.kind == .delete, newer.base == nil { return false }
      if let record = newer.record { registry.cache.replaceRecord(record, of: object) }
    } else if let merged = result.merged[object.key] {
      guard let merged else { return false }
      registry.cache.replaceRecord(merged, of: object)
    }
    object.generation = result.generation
    if newer == nil, change.kind == .delete, result.merged[object.key] == nil { return false }
    object.status = newer?.status ?? .clean
    return true
  }
}
