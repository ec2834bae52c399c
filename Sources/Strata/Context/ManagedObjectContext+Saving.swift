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
  /// The order: the end of the turn; `willSave` of the objects until it changes nothing more; the
  /// willSave notification; delete rules that deny, and validation; the hand-over or commit, which
  /// finds conflicts; `didSave` of the objects; the didSave notification.
  ///
  /// Rules of the model and the objects' own `validateFor…` are looked at by each save on the way to
  /// the store, for everything that it saves: what comes together in a parent is validated there again.
  ///
  /// - Throws: `ContextError.validationFailed`, `.deleteDenied`, `.endlessWillSave`,
  ///   `.ancestorUnreachable` if the parent context is gone, and `.recursiveSave` from within `willSave`
  ///   and validation; at the top `StoreError`: conflicts, uniqueness violations, a full disk; and any
  ///   error that reading a property met since the last call.
  public func save() throws {
    guard let save = try beginSave(lendingThread: true) else { return }
    save.waitUntilFinished()
    try finish(save)
  }

  /// Begins a save: a hand-over to a parent context is done on return.
  ///
  /// - Parameter lendsThread: whether the caller does nothing but wait for the save. Then it may be
  ///   written on the caller's thread, before this returns.
  /// - Returns: the save to the store that has to be waited for and finished; nil if there is none.
  func beginSave(lendingThread lendsThread: Bool = false) throws -> PendingSave? {
    if preparation?.isTelling == true { throw ContextError.recursiveSave }
    try throwDeferredError()
    encodeEdits()
    finishPendingSave()
    announceMerges()
    announceTurn()
    turnStart = working
    let outer = preparation
    preparation = SavePreparation()
    defer { preparation = outer }
    try prepareToSaveTurn()
    guard hasChanges || working.hasReadLocks else {
      moveSavepoints()
      view = nil
      return nil
    }
    if layer.parent != nil {
      try pushToParent()
      return nil
    }
    return try commitToStore(lendingThread: lendsThread)
  }

  /// Prepares what the turn has done. With what `willSave` adds to it, that is one group for undo, also
  /// if it is refused.
  private func prepareToSaveTurn() throws {
    defer { undoRecorder?.endTurn() }
    try prepareToSave()
  }

  /// Waits for the save that is under way, if any, and finishes it; whoever began it hears how it
  /// went.
  func finishPendingSave() {
    guard let pendingSave else { return }
    pendingSave.waitUntilFinished()
    try? finish(pendingSave)
  }

  // MARK: - To a parent context

  private func pushToParent() throws {
    guard let parentLayer = layer.parent else { return }
    // Nobody could ever save what a context has that is gone.
    if parentLayer.isContextGone { throw ContextError.ancestorUnreachable(level: 1) }
    let parent = parentInThisIsolation
    parent?.endTurnForChild()
    didHandOver(try handOver(to: parentLayer, isInItsTurn: parent != nil))
    parent?.endTurnForChild()
  }

  /// Gives the changes to the parent's layer: composed with what the parent has published, outside
  /// any lock, and again if something else was published meanwhile.
  ///
  /// - Returns: the changes, and what they are in the parent; nil if there are none.
  private func handOver(
    to parentLayer: Layer, isInItsTurn: Bool
  ) throws -> (sent: Segment, received: Segment)? {
    let saved: (Segment, Segment)
    while true {
      let mine = layer.current
      if !mine.inbox.isEmpty {
        try prepareToSave()
        continue
      }
      let theirs = parentLayer.current
      guard let segment = working.flattened() else { return nil }
      let restsOnParent = segment.restsOnOthers
      if restsOnParent, try catchUpBeforeHandOver() { continue }
      var ground = try Ground(
        of: segment, onto: theirs.published, doubting: doubtAtHandOver
      ) { [coordinator] in
        try ReadView.take(own: Overlay(), layer: parentLayer, source: coordinator)
      }
      ground.keepsLost = !parentLayer.mergesAutomatically || theirs.pin != nil
      let composed = Composition.compose(
        pushed: segment, onto: theirs.published, on: ground, schema: schema)
      composed.prepareRuns()
      let isDone = parentLayer.receive(
        Layer.Push(
          segment: segment, touched: composed.changes.keys,
          ground: restsOnParent ? merging.following.ground : nil, found: ground,
          isInReceiversTurn: isInItsTurn),
        composed: theirs.published.adding(composed).compacted(), ifStill: theirs.revision,
        from: layer, ifStill: mine.revision,
        news: News(pushing: segment, composed: composed, from: layer.identity))
      if isDone {
        saved = (segment, composed)
        break
      }
    }
    PausePoint.pushed.reach(schema)
    parentLayer.announceArrival()
    return saved
  }

  /// The objects to look up before a hand-over. A pinned context knows of nothing that came after its pin.
  private var doubtAtHandOver: Doubt {
    if PlantedFault.doubtForgotten.isPlanted(in: schema) { return Doubt() }
    return isPinned ? .total : doubt
  }

  /// Learns what others have changed since the view of this turn, so that it is known which of the
  /// unsaved changes rest on something else by now.
  ///
  /// - Returns: whether there was anything; the changes may be others then.
  private func catchUpBeforeHandOver() throws -> Bool {
    if isPinned || merging.following.passOwnNews() { return false }
    let before = working
    view = nil
    _ = try currentView()
    if !edits.isEmpty || !working.isIdentical(to: before) {
      try prepareToSave()
      return true
    }
    return false
  }

  private func didHandOver(_ push: (sent: Segment, received: Segment)?) {
    let saved = push.map { Overlay([$0.sent]) } ?? Overlay()
    let changes = push?.sent.changes ?? ChangeTable()
    let told = objectsToTell(of: changes)
    var gone: [ManagedObject] = []
    for (place, key) in changes.keys.enumerated() {
      guard let object = cache.registeredObject(for: key) else { continue }
      switch changes.values[place].kind {
      case .delete: gone.append(object)
      case .insert: object.status = .clean
      case .update:
        object.status = .clean
        let sent = changes.values[place]
        // What the parent shows now is what this context has read, as if it read it again.
        let received = push.flatMap { $0.received === $0.sent ? nil : $0.received.changes[key] }
        let base = received?.record == sent.record ? received?.base : sent.base
        object.generation = base?.generation ?? 0
        cache.notePending(base, of: object)
      }
    }
    working = Overlay()
    doubt = Doubt()
    orderedLists.removeAll()
    isPublished = true
    moveSavepoints()
    view = nil
    movePin()
    tell(told, ofSaved: saved, gone: gone)
  }

  /// The end of a save that has succeeded: the context's state is whole again.
  private func tell(
    _ objects: [ManagedObject], ofSaved saved: Overlay, _ result: CommitResult? = nil,
    gone: [ManagedObject]
  ) {
    turnStart = working
    for object in objects { object.didSave() }
    for object in gone { detach(object) }
    turnLeavingIntoFaults()
    post(SaveNotification.didSave, for: saved, result)
  }

  // MARK: - To the store

  private func commitToStore(lendingThread lendsThread: Bool) throws -> PendingSave {
    while !layer.freeze(working) {
      isPublished = false
      try prepareToSave()
    }
    let save = PendingSave(
      ChangeSet(
        working, mergePolicy: mergePolicy, author: transactionAuthor, origin: layer.identity))
    pendingSave = save
    view = nil
    coordinator.commit(save.changeSet, lendingThread: lendsThread) { save.complete($0) }
    return save
  }

  /// Finishes a save to the store in a turn of its own context: on success the context lets go of
  /// what the store now has; on failure everything stays unsaved.
  func finish(_ save: PendingSave) throws {
    if let outcome = save.outcome { return try outcome.get() }
    // What was done meanwhile was done to the state before.
    encodeEdits()
    pendingSave = nil
    defer { if savepoints.isEmpty { merging.ringIfOwed() } }
    switch save.result {
    case .success(let result):
      complete(save.changeSet, result)
      save.outcome = .success(())
    case .failure(let error):
      PausePoint.refused.reach(schema)
      layer.unfreeze(save.changeSet.segments)
      if !working.isIdentical(to: Overlay(save.changeSet.segments)) {
        replaceWorking(working.recomposed(over: save.changeSet.segments, schema: schema))
        isPublished = false
      }
      save.outcome = .failure(error)
      throw error
    }
  }

  private func complete(_ changeSet: ChangeSet, _ result: CommitResult) {
    PausePoint.committed.reach(schema)
    let saved = Overlay(changeSet.segments)
    let told = objectsToTell(of: changeSet.changes)
    var gone: [ManagedObject] = []
    willTakeOutcome(result, of: changeSet)
    replaceWorking(working.rebased(onto: changeSet, result, schema: schema))
    // Pushes may go on arriving. What came before is not rebased again: a saver who pushes faster than
    // all of that takes would keep this going for ever, and the inbox growing.
    var inbox: [Layer.Push] = []
    while true {
      let state = layer.current
      inbox += state.inbox[inbox.count...].map { push in
        let rebased = Overlay([push.segment]).rebased(onto: changeSet, result, schema: schema)
        return Layer.Push(
          segment: rebased.segments.first ?? push.segment, touched: push.touched,
          ground: push.ground, isInReceiversTurn: push.isInReceiversTurn)
      }
      let published = state.published.rebased(onto: changeSet, result, schema: schema)
      if layer.feed.isFollowed { published.prepareRuns() }
      let news = News(saved: changeSet, result, rebased: published)
      if layer.replace(published, inbox: inbox, ifStill: state.revision, news: news) { break }
    }
    // The layer's rebased segments are others than the context's: the next save freezes the latter.
    if !working.isEmpty { isPublished = false }
    PausePoint.published.reach(schema)
    let isPlain = working.isEmpty && result.merged.isEmpty
    for (place, key) in changeSet.changes.keys.enumerated() {
      guard let object = cache.registeredObject(for: key) else { continue }
      let isDelete = changeSet.changes.values[place].kind == .delete
      if isPlain, !isDelete {
        // Nothing came on top, and nobody has decided otherwise: nearly always.
        object.generation = result.generation
        object.status = .clean
      } else if isPlain || !settle(object, after: changeSet.changes.values[place], result) {
        object.status = .deleted
        gone.append(object)
      }
    }
    gone += takeDecided(result, beyond: changeSet)
    if !savepoints.isEmpty { rebaseSavepoints(onto: changeSet, result) }
    noteMerged(changeSet, result)
    view = nil
    movePin()
    if schema.hooks.contains(.awakeFromSnapshotEvents) {
      for key in result.merged.keys where result.derived[key] == nil {
        if let object = cache.object(for: key) { awake(object, from: .mergePolicy) }
      }
    }
    tell(told, ofSaved: saved, result, gone: gone)
  }

  /// Gives registered objects that the save did not speak of what the store has made of them: a delete
  /// rule or a constraint reached them there, or a derived attribute of theirs follows from the save. What is unsaved in one stays, on its old base.
  ///
  /// - Returns: those that are deleted.
  private func takeDecided(
    _ result: CommitResult, beyond changeSet: ChangeSet
  ) -> [ManagedObject] {
    var gone: [ManagedObject] = []
    for (key, merged) in result.merged where changeSet.changes[key] == nil {
      guard let object = cache.registeredObject(for: key), object.status == .clean,
        working.change(for: key) == nil
      else { continue }
      if let merged {
        if !object.isFault { cache.replaceRecord(merged, of: object) }
        object.generation = result.generation
      } else {
        object.status = .deleted
        gone.append(object)
      }
    }
    return gone
  }

  /// Notes what the store made of objects: the turn's objectsDidChange tells.
  private func noteMerged(_ changeSet: ChangeSet, _ result: CommitResult) {
    for (key, merged) in result.merged {
      switch (changeSet.changes[key]?.kind, merged) {
      case (_, nil): turn.deleted.append(key)
      case (.delete, _): turn.inserted.append(key)
      default: turn.refreshed.append(key)
      }
    }
    if !result.merged.isEmpty { noteTouched() }
  }

  /// Gives a registered object its state after the store has committed `change`.
  ///
  /// - Returns: false if the object is deleted for good.
  private func settle(
    _ object: ManagedObject, after change: Change, _ result: CommitResult
  ) -> Bool {
    let newer = working.change(for: object.key)
    if let newer {
      if newer.kind == .delete, newer.base == nil { return false }
      if let record = newer.record { cache.replaceRecord(record, of: object) }
    } else if let merged = result.merged[object.key] {
      guard let merged else { return false }
      cache.replaceRecord(merged, of: object)
    }
    object.generation = result.generation
    switch newer?.kind {
    case nil where change.kind == .delete && result.merged[object.key] == nil: return false
    case nil: object.status = .clean
    case .insert?: object.status = .inserted
    case .update?: object.status = newer?.isReadLock == true ? .clean : .updated
    case .delete?: object.status = .deleted
    }
    return true
  }
}
