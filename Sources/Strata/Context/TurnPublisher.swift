// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// The ends of one context's turns: changes are published to the context's children, saves of
/// children are integrated, and observers are notified.
///
/// ## Invariants
/// - I1 At the end of a turn there are no edits, the layer shows the unit of work, and no view is
///   kept.
///
/// ## Isolation
/// The context's.
package final class TurnPublisher: ContextPart {
  let reader: ContextReader
  let merger: ContextMerger
  /// The revision of the layer at which the inbox was last found empty.
  private var emptyInboxRevision: UInt64?

  /// The number of objects by which the end of a turn moves the cache's hand, if it is over its
  /// budget.
  private static let sweepStepCount = 256
  /// The maximum number of rounds for changes that observers make in the end of a turn.
  private static let observerRoundCountMax = 1_000

  package init(_ reader: ContextReader, _ merger: ContextMerger) {
    self.reader = reader
    self.merger = merger
  }

  /// Merges the changes since the last view, at a moment at which observers may run.
  func mergeArrivedEvents() {
    if !reader.isPinned { reader.passSections() }
    guard merger.trigger?.isFired == true else { return }
    if work.view != nil {
      // On the main actor this is another job than the one that took the view.
      if reporter.confinement == .mainActor { endTurn() } else { work.encodeEdits() }
      work.view = nil
    }
    do { _ = try reader.currentView() } catch {
      reporter.note(error)
      // Nothing else may make a list or an iteration of live values read again, and fail in turn.
      reporter.liveResults.noteUnknown()
    }
    reporter.announceMerges()
  }

  /// Merges a save of others with a new view, and reports it.
  ///
  /// - Throws: the errors of reading; nothing has been merged then.
  func merge(_ saved: ChangedKeys) throws {
    work.encodeEdits()
    announceTurn()
    work.view = nil
    let view = try reader.currentView()
    let merged = try merger.merge(GatheredEvents(saved), in: view, isChecked: true)
    reporter.announceMerges()
    if !merged.isEmpty { work.markSavepointsAnnounced() }
    reporter.announceMerge(merged)
  }

  /// Children's saves that are integrated during a `withSavepoint { }` are not part of it, except
  /// for those of children that its body has used.
  func integrateInSavepoints(_ pushes: [ContextLayer.Push]) {
    for index in work.savepoints.indices {
      for push in pushes where !push.isInReceiversTurn {
        let working = work.savepoints[index].working
        work.savepoints[index].working =
          Composition.compose(
            pushed: push.segment, onto: working, on: ground(of: push, onto: working),
            schema: schema
          ).settled
      }
    }
  }

  /// Ends this context's turn because a child in the same isolation begins to work, or has saved.
  /// In the middle of a `withSavepoint { }`, which goes on, the work so far is published and
  /// reported all the same.
  ///
  /// The ancestors' turns end before it, one after the other: nested calls would fill the stack.
  func endTurnForChild() {
    for ancestor in reader.ancestorsInThisIsolation { ancestor.publisher.endOwnTurnForChild() }
    endOwnTurnForChild()
  }

  /// The same without the turns of ancestors, for a child that reads nothing yet.
  func endOwnTurnForChild() {
    if work.savepoints.isEmpty { return endTurn() }
    work.encodeEdits()
    // Before the child's save, and so that the reversal of both is reported.
    announceTurn()
    publishAndIntegrateCompletely()
    work.view = nil
  }

  /// Publishes the changes so far because a child in the same isolation takes its view, perhaps
  /// while a property is being read: observers are notified at the end of this context's turn.
  func publishForChild() {
    for ancestor in reader.ancestorsInThisIsolation { ancestor.publisher.publishOwnForChild() }
    publishOwnForChild()
  }

  private func publishOwnForChild() {
    if work.edits.isEmpty, isPublishedAndIntegrated() { return }
    reporter.integrated += publishAndIntegrate(isSaving: true)
    work.view = nil
  }

  /// Publishes the work of a section of an actor's code, and then changes the objects that the work
  /// has reached elsewhere.
  ///
  /// - Parameter published: called once, when children see the work. Before that, no code of the
  ///   program runs: readers wait, in queues and behind locks for which that code could wait. So
  ///   observers of properties are notified afterwards, and objects that the edits had are kept.
  func publishSection(_ published: () -> Void) {
    let drafted = work.edits.drafted
    let encoded = work.encodedEdits()
    if let encoded { work.show(encoded) }
    var isPublished = false
    reporter.integrated += publishAndIntegrate(isSaving: true) {
      isPublished = true
      published()
    }
    if !isPublished { published() }
    if let encoded { work.takeReached(encoded) }
    work.view = nil
    withExtendedLifetime(drafted) {}
  }

  /// Ends a confined context's turn.
  func processPendingChanges() {
    if merger.isAutomatic { mergeArrivedEvents() }
    endTurn()
  }

  /// Ends a turn of the main actor, which `MainTurns` no longer has among the open ones.
  func endScheduledTurn() {
    reporter.isTurnEndScheduled = false
    endTurn()
  }

  func endTurn() {
    guard work.savepoints.isEmpty else { return work.encodeEdits() }
    let isNested = reporter.isEndingTurn
    reporter.isEndingTurn = true
    defer { reporter.isEndingTurn = isNested }
    var rounds = 0
    repeat {
      work.encodeEdits()
      var unannounced = reporter.takeUnreported()
      unannounced += publishAndIntegrate()
      reporter.turnStart = work.working
      work.view = nil
      rounds += 1
      reporter.announceMerges()
      announce(unannounced, inRound: rounds)
      registry.turnLeavingIntoFaults()
      if registry.cache.byteCount > registry.cache.byteBudget {
        registry.cache.sweep(steps: Self.sweepStepCount)
      }
      registry.turnWaitingIntoFaults()
      // Observers' changes belong to the turn; objects that they read are not kept for the next
      // one.
    } while !work.edits.isEmpty || !work.isPublished
    work.view = nil
    reporter.liveResults.isFetchedInSavepoint = false
    if let instrument = reader.coordinator.instrument {
      merger.loader.reportReads(to: instrument)
    }
    work.undoRecorder?.endTurn()
    PausePoint.turnEnded.reach(schema)
  }

  /// Announces changes. After `observerRoundCountMax` rounds of further changes by observers of
  /// objectsDidChange, they are no longer notified. Core Data stops in the same way.
  private func announce(_ changes: [TurnChanges], inRound round: Int) {
    if round > Self.observerRoundCountMax {
      reporter.liveResults.noteUnknown()
    } else {
      reporter.announce(changes)
    }
  }

  /// Integrates the saves of children that came in before this turn.
  func integrateArrivals() {
    reporter.announce(publishAndIntegrate())
    registry.turnLeavingIntoFaults()
    if merger.isAutomatic { mergeArrivedEvents() }
  }

  /// Encodes, publishes and integrates, until observers make no more changes or are no longer
  /// notified.
  func publishAndIntegrateCompletely() {
    var rounds = 0
    repeat {
      let integrated = publishAndIntegrate(isSaving: true)
      rounds += 1
      if !integrated.isEmpty { work.markSavepointsAnnounced() }
      announce(integrated, inRound: rounds)
      registry.turnLeavingIntoFaults()
    } while !work.edits.isEmpty || !work.isPublished
  }

  /// Makes the layer show the working overlay, and integrates the children's saves that arrived,
  /// each over the changes before it.
  ///
  /// During a `withSavepoint { }` nothing is published or integrated, unless it saves.
  ///
  /// - Parameter published: called when the layer shows the changes, before any object changes and
  ///   observers are notified; not called if there is nothing to publish.
  /// - Returns: the changes of each integrated save here, in order.
  func publishAndIntegrate(
    isSaving: Bool = false, _ published: () -> Void = {}
  ) -> [TurnChanges] {
    // An object that takes over the result of a push has no draft.
    work.encodeEdits()
    guard work.savepoints.isEmpty || isSaving else { return [] }
    if isPublishedAndIntegrated() { return [] }
    // `working` with the pushes so far. Pushes may go on arriving. Earlier ones are not composed
    // again, or savers that push faster than this would keep it going for ever.
    var composed = work.working
    var composedKeys: [[ObjectKey]] = []
    var overtaken: OvertakenEdits?
    var pushes: [ContextLayer.Push] = []
    while true {
      let state = layer.current
      if work.isPublished && state.inbox.isEmpty { return [] }
      state.inbox.appendRest(to: &pushes)
      if !work.isPublished {
        for push in pushes[composedKeys.count...] {
          if push.isChecked {
            overtaken = overtaken ?? OvertakenEdits()
            overtaken?.note(replacedBy: push.segment, in: composed, schema: schema)
          }
          let (segment, settled) = Composition.compose(
            pushed: push.segment, onto: composed, on: ground(of: push, onto: composed),
            schema: schema)
          composedKeys.append(segment.changes.keys)
          composed = settled
        }
      }
      let settled = work.isPublished ? state.published : composed
      let touched = work.isPublished ? pushes.map(\.touched) : composedKeys
      let event = work.isPublished ? nil : layer.event(from: state.published, to: settled)
      if layer.feed.isFollowed { settled.prepareRuns(askedOf: state.published) }
      guard layer.publish(settled, ifStill: state.revision, event: event) else { continue }
      published()
      if !pushes.isEmpty { prepareToTake(pushes, touching: touched, in: settled) }
      let former = work.working
      work.replaceWorking(settled)
      work.isPublished = true
      if let overtaken { work.obstacles.overtaken.add(overtaken) }
      return zip(pushes, touched).map { work.take($0.segment, touching: $1, over: former) }
    }
  }

  /// Prepares the objects of pushes, before they change: `working` does not have the pushes yet.
  private func prepareToTake(
    _ pushes: [ContextLayer.Push], touching touched: [[ObjectKey]], in settled: Overlay
  ) {
    doubtUncovered(pushes)
    for (push, touched) in zip(pushes, touched) {
      registry.willTake(push.segment, touching: touched, on: work.working, in: settled)
    }
    work.undoRecorder?.record(integrating: pushes, in: work) { ground(of: $0, onto: $1) }
    if !work.savepoints.isEmpty { integrateInSavepoints(pushes) }
  }

  /// Whether the layer shows the unit of work and no child's save waits in the inbox. One atomic
  /// load, if nothing has changed in the layer since the last time: each child's save into it has a
  /// new revision.
  private func isPublishedAndIntegrated() -> Bool {
    guard work.isPublished else { return false }
    if let emptyInboxRevision, layer.revision == emptyInboxRevision { return true }
    emptyInboxRevision = layer.revisionWithEmptyInbox
    return emptyInboxRevision != nil
  }

  /// The state beneath this context, of all objects of a push that are not in `overlay`. If it
  /// cannot be read, the push rests on its sender's readings; a save looks it up again.
  func ground(of push: ContextLayer.Push, onto overlay: Overlay) -> Ground {
    do {
      var ground = try Ground(
        of: push.segment, onto: overlay, doubting: .total, sent: push.ground
      ) { [layer, coordinator] in
        try ReadView.take(own: Overlay(), layer: layer, source: coordinator)
      }
      for key in ground.absentKeys { work.doubt.insert(key) }
      ground.keepsLost = !merger.isAutomatic || reader.isPinned
      return ground
    } catch {
      for key in push.segment.changes.keys { work.doubt.insert(key) }
      reporter.note(error)
      return Ground()
    }
  }

  /// Puts the objects of pushes in doubt, if this context has read changes that their senders were
  /// unaware of.
  private func doubtUncovered(_ pushes: [ContextLayer.Push]) {
    guard layer.parent != nil else { return }
    for push in pushes {
      for key in push.ground.absentKeys { work.doubt.insert(key) }
      guard let position = push.senderPosition, !reader.following.isCovered(by: position) else {
        continue
      }
      for key in push.segment.changes.keys { work.doubt.insert(key) }
      work.doubt.insert(GatheredEvents(suspects: push.segment.linkTargets))
    }
  }

  /// Posts the merges that were made while views were taken, the children's saves that the turn has
  /// integrated, and then the turn's changes so far, which may be of the merged objects. The caller
  /// has encoded all edits.
  func announceTurn() {
    reporter.announceMerges()
    reporter.turnStart = work.working
    let (integrated, changes) = (reporter.takeIntegrated(), reporter.takeTurn())
    if !integrated.isEmpty || !changes.isUntouched { work.noteTurnAnnouncedInSavepoints() }
    reporter.announce(integrated)
    reporter.announce(changes)
  }
}
