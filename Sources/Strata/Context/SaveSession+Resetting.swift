// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives

// Discarding unsaved changes.

extension SaveSession {
  /// Discards all unsaved changes.
  ///
  /// - Returns: the changes to report.
  func takeBack() -> [TurnChanges] {
    require(
      work.pendingSave.map(\.isFinished) ?? true || !writer.isHere,
      "rollback() and reset() wait for a save that is under way: do not call them in code that the "
        + "store's writer calls, such as a batch's closure.")
    try? finishPendingSave()
    work.encodeEdits()
    publisher.announceTurn()
    // The changes of observers are reverted with the others. So are saves of children that were
    // integrated when an observer or a list read. Neither is reported.
    work.encodeEdits()
    _ = reporter.takeUnreported()
    var undone = TurnChanges()
    let takenBack = work.working.changes.keys
    registry.willTakeBack(work.working)
    for (key, change) in work.working.changes {
      switch change.kind {
      case .insert: undone.deleted.append(key)
      case .update where change.isReadLock: continue
      case .update: undone.refreshed.append(key)
      case .delete where change.base != nil: undone.inserted.append(key)
      case .delete: continue
      }
      guard let object = registry.cache.object(for: key) else { continue }
      if object.status == .inserted {
        work.detach(object)
      } else {
        object.status = .clean
        registry.cache.setRecord(nil, of: object)
      }
    }
    // Links that are stored beside the objects change none of their records.
    for owner in Set(work.working.links.byPlace.keys.map(\.owner))
    where work.working.change(for: owner).map({ $0.isReadLock }) ?? true {
      undone.refreshed.append(owner)
    }
    work.replaceWorking(Overlay())
    work.doubt = Doubt()
    work.obstacles = SaveObstacles()
    deletion.deniedTargets = [:]
    work.isPublished = false
    work.undoRecorder?.removeAllActions()
    work.moveSavepoints()
    let integrated = publisher.publishAndIntegrate()
    work.view = nil
    reporter.turnStart = work.working
    registry.turnLeavingIntoFaults()
    loader.awake(takenBack, from: .rollback)
    return [undone] + integrated
  }

  /// Forgets all objects and everything unsaved.
  func reset() {
    // Taking back detaches the inserted ones.
    let registered = registry.cache.objects.map(\.key)
    var integrated = takeBack().dropFirst()
    if !schema.hooks.isDisjoint(with: .faulting) {
      // Called while the context is consistent: objects may read, and their changes are discarded
      // too.
      for object in registry.cache.objects { registry.willTurnIntoFault(object) }
      integrated += takeBack().dropFirst()
    }
    let objects = registry.cache.objects
    var forgotten = TurnChanges()
    forgotten.invalidated = registered
    for object in objects where object.observation != 0 { registry.objectWillGo(object) }
    registry.forgetAll()
    let notified = objects.filter {
      $0.record != nil && $0.binding.hooks.contains(.didTurnIntoFault)
    }
    for object in objects {
      object.draft = nil
      object.status = .detached
      object.record = nil
      object.binding.observed?.forget(object)
    }
    work.undoRecorder?.removeAllActions()
    work.moveSavepoints()
    for object in notified { object.didTurnIntoFault() }
    let reset = reporter.liveResults.noteReset()
    reporter.tellLiveResults(reset)
    reporter.announce([forgotten] + integrated)
  }
}
