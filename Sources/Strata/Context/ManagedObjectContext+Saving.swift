// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// A save hands the context's changes one level up: to the parent in memory, or to the store.

extension ManagedObjectContext {
  /// Saves everything unsaved to the parent, one level up. Below another context that is a hand-over
  /// in memory: the parent has the changes as its own unsaved ones, and nothing is durable until the
  /// topmost context saves. At the top it is a durable commit; the call returns when the disk has it.
  /// Core Data: `save()`.
  ///
  /// A save never waits for the parent: if that is busy, the changes are visible to readers at once
  /// and land there after its current turn. A failed save leaves everything unsaved as it was.
  ///
  /// - Throws: `ContextError.deleteDenied`; at the top `StoreError`: conflicts, uniqueness
  ///   violations, a full disk; and any error that reading a property met since the last call.
  public func save() throws {
    guard let save = try beginSave() else { return }
    save.waitUntilFinished()
    try finish(save)
  }

  /// Begins a save: a hand-over to a parent context is done on return.
  ///
  /// - Returns: the save to the store that has to be waited for and finished; nil if there is none.
  func beginSave() throws -> PendingSave? {
    try throwDeferredError()
    encodeEdits()
    finishPendingSave()
    announceTurn()
    if hasChanges {
      post(SaveNotification.willSave, for: working)
      encodeEdits()
      try checkDeniedDeletes()
    }
    settleCompletely()
    guard hasChanges else {
      view = nil
      return nil
    }
    if layer.parent != nil {
      pushToParent()
      return nil
    }
    return commitToStore()
  }

  /// Waits for the save that is under way, if any, and finishes it; whoever began it hears how it
  /// went.
  func finishPendingSave() {
    guard let pendingSave else { return }
    pendingSave.waitUntilFinished()
    try? finish(pendingSave)
  }

  // MARK: - To a parent context

  private func pushToParent() {
    guard let parentLayer = layer.parent else { return }
    guard let parent = parentInThisIsolation else {
      handOver(to: parentLayer)
      return didHandOver(working)
    }
    while true {
      let state = layer.current
      if state.inbox.isEmpty, layer.publish(Overlay(), ifStill: state.revision) { break }
      settleCompletely()
    }
    if let segment = working.flattened() { parent.receiveInTurn(segment) }
    didHandOver(working)
  }

  /// Gives the changes to the parent's layer: composed with what the parent has published, outside
  /// any lock, and again if something else was published meanwhile.
  private func handOver(to parentLayer: Layer) {
    while true {
      let mine = layer.current
      if !mine.inbox.isEmpty {
        settleCompletely()
        continue
      }
      let theirs = parentLayer.current
      guard let segment = working.flattened() else { return }
      let composed = Composition.compose(segment, onto: theirs.published, schema: schema)
      let isDone = parentLayer.receive(
        Layer.Push(segment: segment, touched: Array(composed.changes.keys)),
        composed: theirs.published.adding(composed).compacted(), ifStill: theirs.revision,
        from: layer, ifStill: mine.revision)
      if isDone { break }
    }
    PausePoint.pushed.reach(schema)
    parentLayer.announceArrival()
  }

  /// Takes a child's changes in the middle of a turn: the child runs inside it.
  private func receiveInTurn(_ segment: Segment) {
    encodeEdits()
    let composed = Composition.compose(segment, onto: working, schema: schema)
    replaceWorking(working.adding(composed).compacted())
    isPublished = false
    let landed = take(segment, touching: Array(composed.changes.keys))
    turn.inserted += landed.inserted
    turn.updated += landed.updated
    turn.deleted += landed.deleted
    noteTouched()
  }

  private func didHandOver(_ saved: Overlay) {
    for (key, change) in saved.changes {
      guard let object = cache.object(for: key) else { continue }
      if change.kind == .delete { detach(object) } else { object.status = .clean }
    }
    working = Overlay()
    isPublished = true
    view = nil
    post(SaveNotification.didSave, for: saved)
  }

  // MARK: - To the store

  private func commitToStore() -> PendingSave {
    while !layer.freeze(working) {
      isPublished = false
      settleCompletely()
    }
    let save = PendingSave(ChangeSet(working, mergePolicy: mergePolicy))
    pendingSave = save
    view = nil
    coordinator.commit(save.changeSet) { save.complete($0) }
    return save
  }

  /// Finishes a save to the store in a turn of its own context: on success the context lets go of
  /// what the store now has; on failure everything stays unsaved.
  func finish(_ save: PendingSave) throws {
    if let outcome = save.outcome { return try outcome.get() }
    pendingSave = nil
    for segment in save.changeSet.segments { segment.unfreeze() }
    switch save.result {
    case .success(let result):
      complete(save.changeSet, result)
      save.outcome = .success(())
    case .failure(let error):
      save.outcome = .failure(error)
      throw error
    }
  }

  private func complete(_ changeSet: ChangeSet, _ result: CommitResult) {
    PausePoint.committed.reach(schema)
    let saved = Overlay(changeSet.segments)
    replaceWorking(working.rebased(onto: changeSet, result, schema: schema))
    while true {
      let state = layer.current
      let inbox = state.inbox.map { push in
        let complete = saved.adding(Composition.compose(push.segment, onto: saved, schema: schema))
        let rebased = complete.rebased(onto: changeSet, result, schema: schema)
        let nothing = Segment(changes: [:], links: LinkChanges(), schema: schema)
        return Layer.Push(segment: rebased.segments.first ?? nothing, touched: push.touched)
      }
      let published = state.published.rebased(onto: changeSet, result, schema: schema)
      if layer.replace(published, inbox: inbox, ifStill: state.revision) { break }
    }
    // The layer's rebased segments are others than the context's: the next save freezes the latter.
    if !working.isEmpty { isPublished = false }
    PausePoint.published.reach(schema)
    for (key, change) in changeSet.changes {
      guard let object = cache.object(for: key) else { continue }
      settle(object, after: change, result)
    }
    view = nil
    post(SaveNotification.didSave, for: saved)
  }

  /// Gives a registered object its state after the store has committed `change`.
  private func settle(_ object: ManagedObject, after change: Change, _ result: CommitResult) {
    let newer = working.change(for: object.key)
    if let newer {
      if newer.kind == .delete, newer.base == nil { return detach(object) }
      if let record = newer.record { cache.setRecord(record, of: object) }
    } else if let merged = result.merged[object.key] {
      guard let merged else { return detach(object) }
      cache.setRecord(merged, of: object)
    }
    object.generation = result.generation
    switch newer?.kind {
    case nil where change.kind == .delete && result.merged[object.key] == nil: detach(object)
    case nil: object.status = .clean
    case .insert?: object.status = .inserted
    case .update?: object.status = .updated
    case .delete?: object.status = .deleted
    }
  }
}
