// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// Saves one context: prepares its unsaved changes, and hands them one level up, to the parent in
/// memory or to the store.
///
/// ## Isolation
/// The context's.
final class SaveSession: ContextPart {
  let publisher: TurnPublisher
  let deletion: DeletionEditor
  var reader: ContextReader { publisher.reader }
  var loader: ObjectLoader { deletion.loader }
  var merger: ContextMerger { publisher.merger }

  /// A save's decision on objects that the store has changed since they were read.
  var mergePolicy: MergePolicy = .error
  /// The calls for the save that is being prepared, or nil.
  var preparation: SavePreparation?
  /// The save that is being begun, if an instrument observes it.
  var operation: (any OperationInProgress)?
  /// Compares values with the rules of the model.
  var ruleChecker = RuleChecker()

  init(_ publisher: TurnPublisher, _ deletion: DeletionEditor) {
    self.publisher = publisher
    self.deletion = deletion
  }

  /// Begins a save: a hand-over to a parent context is done on return.
  ///
  /// - Parameter lendsThread: whether the caller only waits for the save. Then its thread may write
  ///   it before this returns.
  /// - Returns: the save to the store to wait for and to finish, or nil.
  func beginSave(lendingThread lendsThread: Bool = false) throws -> PendingSave? {
    guard let instrument = coordinator.instrument else {
      return try handOn(lendingThread: lendsThread)
    }
    return try observing(instrument) { try handOn(lendingThread: lendsThread) }
  }

  private func handOn(lendingThread lendsThread: Bool) throws -> PendingSave? {
    if preparation?.isTelling == true { throw ContextError.recursiveSave }
    try reporter.throwDeferredError()
    work.encodeEdits()
    finishPendingSave()
    reporter.announceMerges()
    publisher.announceTurn()
    reporter.turnStart = work.working
    let outer = preparation
    preparation = SavePreparation()
    defer { preparation = outer }
    do {
      // With the changes of `willSave`, the turn is one undo group, also if the save is refused.
      defer { work.undoRecorder?.endTurn() }
      try prepareToSave()
    }
    guard work.hasChanges || work.working.hasReadLocks else {
      work.moveSavepoints()
      work.view = nil
      return nil
    }
    if layer.parent != nil {
      try pushToParent()
      return nil
    }
    return try commitToStore(lendingThread: lendsThread)
  }

  /// Waits for the save under way, if any, and finishes it; its caller gets the result.
  func finishPendingSave() {
    guard let pendingSave = work.pendingSave else { return }
    pendingSave.waitUntilFinished()
    try? finish(pendingSave)
  }

  // MARK: - To a parent context

  private func pushToParent() throws {
    guard let parentLayer = layer.parent else { return }
    // The unsaved changes of a deallocated context can never be saved.
    if parentLayer.isContextGone { throw ContextError.ancestorUnreachable(level: 1) }
    let parent = reader.parentInThisIsolation
    parent?.publisher.endTurnForChild()
    didHandOver(try handOver(to: parentLayer, isInItsTurn: parent != nil))
    parent?.publisher.endTurnForChild()
  }

  /// Hands the changes to the parent's layer: composed with the parent's published changes, outside
  /// any lock, and again if the parent has published others in between.
  ///
  /// - Returns: the changes, and their form in the parent; nil if there are none.
  private func handOver(
    to parentLayer: ContextLayer, isInItsTurn: Bool
  ) throws -> (sent: Segment, received: Segment)? {
    while true {
      let mine = layer.current
      if !mine.inbox.isEmpty {
        try prepareToSave()
        continue
      }
      let theirs = parentLayer.current
      guard let segment = work.working.flattened() else { return nil }
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
      Overlay([composed]).prepareRuns(askedOf: theirs.published)
      let isDone = parentLayer.receive(
        ContextLayer.Push(
          segment: segment, touched: composed.changes.keys,
          senderPosition: restsOnParent ? reader.following.position : nil, ground: ground,
          isInReceiversTurn: isInItsTurn),
        composed: theirs.published.adding(composed).compacted(), ifStill: theirs.revision,
        from: layer, ifStill: mine.revision,
        event: ChangeEvent(pushing: segment, composed: composed, from: layer.identity))
      guard isDone else { continue }
      PausePoint.pushed.reach(schema)
      parentLayer.announceArrival()
      return (segment, composed)
    }
  }

  /// The objects to look up before a hand-over. A pinned context ignores changes after its pin.
  private var doubtAtHandOver: Doubt {
    if PlantedFault.doubtForgotten.isPlanted(in: schema) { return Doubt() }
    return reader.isPinned ? .total : work.doubt
  }

  /// Reads other contexts' changes since the view of this turn, to find the unsaved changes that
  /// rest on an older state.
  ///
  /// - Returns: whether there were any; the unsaved changes may then be others.
  private func catchUpBeforeHandOver() throws -> Bool {
    if reader.isPinned || reader.following.passOwnEvents() { return false }
    let before = work.working
    work.view = nil
    _ = try reader.currentView()
    if !work.edits.isEmpty || !work.working.isIdentical(to: before) {
      try prepareToSave()
      return true
    }
    return false
  }

  private func didHandOver(_ push: (sent: Segment, received: Segment)?) {
    let saved = push.map { Overlay([$0.sent]) } ?? Overlay()
    let changes = push?.sent.changes ?? ChangeTable()
    let withDidSave = registry.objectsWithDidSave(of: changes)
    var gone: [ManagedObject] = []
    for (place, key) in changes.keys.enumerated() {
      guard let object = registry.cache.registeredObject(for: key) else { continue }
      switch changes.values[place].kind {
      case .delete: gone.append(object)
      case .insert: object.status = .clean
      case .update:
        object.status = .clean
        let sent = changes.values[place]
        // The parent's present state is the state that this context has read, as if it read it
        // again.
        let received = push.flatMap { $0.received === $0.sent ? nil : $0.received.changes[key] }
        let base = received?.record == sent.record ? received?.base : sent.base
        object.generation = base?.generation ?? 0
        registry.cache.notePending(base, of: object)
      }
    }
    work.working = Overlay()
    work.doubt = Doubt()
    work.orderedLists.removeAll()
    work.isPublished = true
    work.moveSavepoints()
    work.view = nil
    reader.movePin()
    tell(withDidSave, ofSaved: saved, gone: gone)
  }

  /// The end of a save that has succeeded: the context's state is whole again.
  func tell(
    _ objects: [ManagedObject], ofSaved saved: Overlay, _ result: CommitResult? = nil,
    gone: [ManagedObject]
  ) {
    reporter.turnStart = work.working
    for object in objects { object.didSave() }
    for object in gone { work.detach(object) }
    registry.turnLeavingIntoFaults()
    reporter.post(.didSave, ChangedObjects(saved: saved, result, schema: schema))
  }
}
