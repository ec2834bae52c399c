// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

// A save to the parent context: the changes are handed over in memory.

/// The end of one attempt to hand changes over.
private enum HandOverAttempt: Sendable {
  /// Nil if there are no changes.
  case done(LaidChanges?)
  /// A child of this context has saved: its changes go along.
  case incomplete
  /// Other contexts may have changed the state on which the unsaved changes rest.
  case behind
  /// The parent's layer has changed during the attempt.
  case overtaken
  /// A save through the parent has the same objects on its way to the store.
  case crossed(ContextLayer.Passage)
}

extension SaveSession {
  /// How often others may overtake a save before siblings wait for it.
  private static let overtakenCountMax = 4

  func pushToParent() throws {
    guard let parentLayer = layer.parent else { return }
    // The unsaved changes of a deallocated context can never be saved.
    if parentLayer.isContextGone { throw ContextError.ancestorUnreachable(level: 1) }
    let parent = reader.parentInThisIsolation
    parent?.publisher.endTurnForChild()
    didHandOver(try handOver(to: parentLayer, isInItsTurn: parent != nil))
    parent?.publisher.endTurnForChild()
  }

  /// Hands the changes to the parent's layer, however often others change it first.
  ///
  /// - Returns: nil if there are no changes.
  /// - Throws: `StoreError.conflicts` and `.mergePolicyMistakes`; the errors of reading and of
  ///   preparing changes that come in during the hand-over.
  private func handOver(to parentLayer: ContextLayer, isInItsTurn: Bool) throws -> LaidChanges? {
    var overtakenCount = 0
    var seenRevision: UInt64?
    while true {
      let attempt: HandOverAttempt
      if overtakenCount < Self.overtakenCountMax {
        parentLayer.gate.pass()
        attempt = try handOverOnce(
          to: parentLayer, isInItsTurn, doubting: doubtAtHandOver, seen: seenRevision)
      } else {
        attempt = try parentLayer.gate.close { try handOverAlone(to: parentLayer, isInItsTurn) }
      }
      switch attempt {
      case .done(let push):
        if push != nil {
          PausePoint.pushed.reach(schema)
          parentLayer.announceArrival()
        }
        return push
      case .incomplete: try prepareToSave()
      case .behind:
        overtakenCount += 1
        seenRevision = parentLayer.revision
        try catchUp()
      case .overtaken: overtakenCount += 1
      case .crossed(let passage):
        try passage.decide()
        seenRevision = parentLayer.revision
        try catchUp()
      }
    }
  }

  /// Hands the changes over while later savers wait. It looks up all objects instead of catching
  /// up with the changes of others, which might go on for ever.
  private func handOverAlone(
    to parentLayer: ContextLayer, _ isInItsTurn: Bool
  ) throws -> HandOverAttempt {
    while true {
      let attempt = try handOverOnce(
        to: parentLayer, isInItsTurn, doubting: .total, seen: parentLayer.revision)
      if case .overtaken = attempt { continue }
      if case .behind = attempt { continue }
      return attempt
    }
  }

  /// Composes the changes with the parent's published ones, outside any lock, and hands them over
  /// unless the parent has published others in between. It runs no code of the program.
  ///
  /// - Parameters:
  ///   - doubt: the objects to look up beneath the parent.
  ///   - revision: the parent's revision that a view of this context has seen, or nil.
  private func handOverOnce(
    to parentLayer: ContextLayer, _ isInItsTurn: Bool, doubting doubt: Doubt,
    seen revision: UInt64?
  ) throws -> HandOverAttempt {
    guard let ownRevision = layer.revisionWithEmptyInbox else { return .incomplete }
    let theirs = parentLayer.current
    guard let segment = work.working.flattened() else { return .done(nil) }
    let isChecked = PushCheck.isNeeded(by: mergePolicy)
    if isChecked, let passage = theirs.passage(crossedBy: segment, schema) {
      return .crossed(passage)
    }
    let restsOnParent = segment.restsOnOthers
    if restsOnParent, theirs.revision != revision, !reader.isPinned,
      !reader.following.passOwnEvents()
    {
      return .behind
    }
    let laid = try LaidChanges(
      segment, onto: theirs.published, comparing: theirs.compared, doubting: doubt,
      keepingLost: !parentLayer.mergesAutomatically || theirs.pin != nil, mergePolicy,
      schema: schema
    ) { [coordinator] in
      try ReadView.take(own: Overlay(), layer: parentLayer, source: coordinator)
    }
    let composed = laid.composed
    Overlay([composed]).prepareRuns(askedOf: theirs.published)
    let isDone = parentLayer.receive(
      ContextLayer.Push(
        segment: laid.segment, touched: composed.changes.keys,
        senderPosition: restsOnParent ? reader.following.position : nil, ground: laid.ground,
        isInReceiversTurn: isInItsTurn, isChecked: isChecked),
      composed: laid.settled, ifStill: theirs.revision,
      from: layer, ifStill: ownRevision,
      event: ChangeEvent(pushing: segment, composed: composed, from: layer.identity))
    return isDone ? .done(laid) : .overtaken
  }

  /// The objects to look up before a hand-over. A pinned context ignores changes after its pin. A
  /// checked save counts as made from the parent's state, with all that this rests on: of unsaved
  /// changes above the parent, the context may have read something else of the same values.
  private var doubtAtHandOver: Doubt {
    if PlantedFault.doubtForgotten.isPlanted(in: schema) { return Doubt() }
    let looksAboveParent = layer.parent?.parent != nil && PushCheck.isNeeded(by: mergePolicy)
    return reader.isPinned || looksAboveParent ? .total : work.doubt
  }

  /// Reads other contexts' changes since the view of this turn, to find the unsaved changes that
  /// rest on an older state, and prepares those that follow from them.
  private func catchUp() throws {
    let before = work.working
    work.view = nil
    _ = try reader.currentView()
    if !work.edits.isEmpty || !work.working.isIdentical(to: before) { try prepareToSave() }
  }

  /// Has lists look again at the objects of which the parent has made something else than was sent.
  /// A context that merges automatically finds them among the parent's events.
  private func noteDecided(_ push: LaidChanges) {
    if push.composed === push.sent || merger.isAutomatic || reporter.liveResults.isEmpty { return }
    let event = ChangeEvent(
      pushing: push.sent, composed: push.composed, from: layer.identity)
    reporter.liveResults.note(GatheredEvents(suspects: event.decided))
  }

  private func didHandOver(_ push: LaidChanges?) {
    if let push { noteDecided(push) }
    let saved = push.map { Overlay([$0.sent]) } ?? Overlay()
    let changes = push?.sent.changes ?? ChangeTable()
    let withDidSave = registry.objectsWithDidSave(of: changes)
    let decided = push?.decided(schema) ?? [:]
    var gone: [ManagedObject] = []
    for (place, key) in changes.keys.enumerated() {
      guard decided[key] == nil, let object = registry.cache.registeredObject(for: key) else {
        continue
      }
      switch changes.values[place].kind {
      case .delete: gone.append(object)
      case .insert: object.status = .clean
      case .update:
        object.status = .clean
        let base = push?.baseAfterSave(at: place)
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
    if !decided.isEmpty { gone += take(decided, of: changes) }
    concludeSave(of: saved, callingDidSaveOf: withDidSave, detaching: gone)
  }

  /// Has objects read the results of decisions in a save to the parent.
  ///
  /// - Parameter decided: the objects, and whether the parent has them.
  /// - Returns: the objects that are gone.
  private func take(_ decided: [ObjectKey: Bool], of sent: ChangeTable) -> [ManagedObject] {
    var (gone, read) = ([ManagedObject](), [ObjectKey]())
    for (key, isThere) in decided.sorted(by: { $0.key < $1.key }) {
      let object = registry.cache.registeredObject(for: key)
      guard isThere else {
        reporter.turn.deleted.append(key)
        object?.status = .deleted
        if let object { gone.append(object) }
        continue
      }
      if sent[key]?.kind == .delete {
        reporter.turn.inserted.append(key)
      } else {
        reporter.turn.refreshed.append(key)
      }
      read.append(key)
      if let object {
        registry.cache.notePending(nil, of: object)
        merger.makeFault(object)
      }
    }
    reporter.noteTouched()
    loader.awake(read, from: .mergePolicy)
    return gone
  }
}
