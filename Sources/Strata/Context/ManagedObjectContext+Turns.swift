// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// What a turn reads, and what becomes of it at its end.

extension ManagedObjectContext {
  // MARK: - The view

  /// The view that this turn reads; taken at the first read, after children's saves that waited have
  /// landed.
  func currentView() throws -> ReadView {
    if let view { return view }
    if edits.isEmpty, isPublished { landed += settle() }
    merging.bell?.silence()
    let taken = try takeView()
    view = taken
    noteTouched()
    follow(taken)
    return taken
  }

  /// The view of this turn with everything done so far encoded into it.
  func currentViewIncludingEdits() throws -> ReadView {
    let view = try currentView()
    if !edits.isEmpty {
      encodeEdits()
    }
    return view
  }

  func takeView() throws -> ReadView {
    if isPinned { try requirePin() }
    if !isPinned { ancestorInThisIsolation?.publishForChild() }
    return try ReadView.take(own: working, layer: layer, source: coordinator)
  }

  /// Ends this context's turn because a child in the same isolation begins to work, or has saved. In
  /// the middle of an `edit { }`, which goes on, the work so far is published all the same.
  func endTurnForChild() {
    ancestorInThisIsolation?.endTurnForChild()
    if savepoints.isEmpty { return endTurn() }
    settleCompletely()
    view = nil
  }

  /// Publishes what was done so far because a child in the same isolation takes its view, perhaps in
  /// the middle of reading a property: observers are told when this context's turn ends.
  func publishForChild() {
    ancestorInThisIsolation?.publishForChild()
    if edits.isEmpty, isPublished, layer.current.inbox.isEmpty { return }
    landed += settle(isSaving: true)
    view = nil
  }

  /// Begins a new turn in a context that has no other end of turn: before a fetch, so that it reads the
  /// newest state.
  ///
  /// In the middle of a save, of a deletion or of a life cycle method the turn goes on. In the middle of
  /// an `edit { }`, and where observers are told, the view alone is taken again.
  func beginFetching() {
    guard confinement == .confined, preparation == nil, awaking.isEmpty, deleting.isEmpty,
      !isFaulting
    else { return }
    if savepoints.isEmpty, !isEndingTurn { return processPendingChanges() }
    encodeEdits()
    view = nil
  }

  /// The parent, if this context runs inside the parent's own isolation at the moment.
  var parentInThisIsolation: ManagedObjectContext? {
    if let sameIsolationParent { return sameIsolationParent }
    guard let parentLayer = layer.parent else { return nil }
    return ThreadFrames.enteredContext(with: parentLayer)
  }

  /// The nearest ancestor that runs in this isolation at the moment: the parent, or, inside a turn of a
  /// context farther up, that one.
  var ancestorInThisIsolation: ManagedObjectContext? {
    if let sameIsolationParent { return sameIsolationParent }
    var next = layer.parent
    while let ancestor = next {
      if let context = ThreadFrames.enteredContext(with: ancestor) { return context }
      next = ancestor.parent
    }
    return nil
  }

  // MARK: - Encoding

  /// Encodes what was done into the working overlay, so that reads and saves see it.
  func encodeEdits() {
    guard !edits.isEmpty else {
      // Serials are those of one turn, also if all objects that took some have been dropped.
      edits.serials = 0..<0
      return
    }
    let segment = edits.encode(schema: schema, cache: cache)
    for key in edits.outdated { doubt.insert(key) }
    let asBefore = edits.linksAsBefore
    edits = PendingEdits()
    guard !segment.isEmpty else { return }
    turn.note(segment, schema: schema)
    let composed = Composition.compose(segment, onto: working, schema: schema)
    if let undoRecorder { record(composed, over: working, by: undoRecorder) }
    var settled = working.adding(composed).compacted()
    if !asBefore.isEmpty { settled = settled.forgetting([], links: asBefore) }
    if composed !== segment { willReach(beyond: segment, composed, in: settled) }
    show(settled)
    isPublished = false
    if composed !== segment { takeReached(beyond: segment, composed) }
  }

  // Edits may reach objects other than those at whose ends they were made: those that lead to a deleted
  // or relinked one although it does not lead back, because a partner of both was changed elsewhere.

  /// What composing `segment` has changed beyond it.
  private func reached(beyond segment: Segment, _ composed: Segment) -> [ObjectKey: Change] {
    var reached: [ObjectKey: Change] = [:]
    for (key, change) in composed.changes {
      if let edited = segment.changes[key], edited.record == change.record { continue }
      reached[key] = change
    }
    return reached
  }

  private func willReach(beyond segment: Segment, _ composed: Segment, in settled: Overlay) {
    if observed == nil { return }
    let keys = Array(reached(beyond: segment, composed).keys)
    if !keys.isEmpty { willLand(composed, touching: keys, in: settled) }
  }

  private func takeReached(beyond segment: Segment, _ composed: Segment) {
    let reached = reached(beyond: segment, composed)
    if reached.isEmpty { return }
    let changes = Segment(changes: reached, links: LinkChanges(), schema: schema)
    turn.append(take(changes, touching: Array(reached.keys)), schema: schema)
  }

  func replaceWorking(_ overlay: Overlay) {
    if !orderedLists.isEmpty, !overlay.isIdentical(to: working) { orderedLists.removeAll() }
    show(overlay)
  }

  private func show(_ overlay: Overlay) {
    working = overlay
    view?.replaceOwn(overlay)
  }

  // MARK: - The end of a turn

  /// Ends the turn: what was done is published to the context's children, saves of children that
  /// waited land, and the objectsDidChange notifications are posted.
  /// Core Data: `processPendingChanges()`.
  ///
  /// It is called by itself where a queue's block or the main actor's stretch of work ends. A
  /// confined context has no such end: call it.
  public func processPendingChanges() {
    if merging.isAutomatic { mergeArrivedNews() }
    endTurn()
  }

  func endTurn() {
    isTurnEndScheduled = false
    guard savepoints.isEmpty else { return encodeEdits() }
    let isNested = isEndingTurn
    isEndingTurn = true
    defer { isEndingTurn = isNested }
    var rounds = 0
    repeat {
      encodeEdits()
      let unannounced = landed + [turn] + settle()
      landed = []
      turn = TurnChanges()
      turnStart = working
      view = nil
      rounds += 1
      announceMerges()
      if rounds <= Self.turnRoundCountMax {
        announce(unannounced)
      } else {
        liveResults.isBehind = true
      }
      turnLeavingIntoFaults()
      if cache.byteCount > cache.byteBudget { cache.sweep(steps: 256) }
      turnWaitingIntoFaults()
      // What observers did belongs to the turn; what they read is not kept for the next one.
    } while !edits.isEmpty || !isPublished
    view = nil
    liveResults.isFetchedInEdit = false
    undoRecorder?.endTurn()
    PausePoint.turnEnded.reach(schema)
  }

  /// After so many rounds in which observers of objectsDidChange have changed something again, they
  /// are told no more. Core Data gives up alike.
  private static let turnRoundCountMax = 1_000

  /// Lands the saves of children that came in before this turn.
  func landArrivals() {
    announce(settle())
    turnLeavingIntoFaults()
    if merging.isAutomatic { mergeArrivedNews() }
  }

  /// Encodes, publishes and lands, until observers have nothing to add or are told no more.
  func settleCompletely() {
    var rounds = 0
    repeat {
      let landed = settle(isSaving: true)
      rounds += 1
      if rounds <= Self.turnRoundCountMax {
        announce(landed)
      } else {
        liveResults.isBehind = true
      }
      turnLeavingIntoFaults()
    } while !edits.isEmpty || !isPublished
  }

  /// Makes the layer show the working overlay, and lands the children's saves that came in: each on
  /// top of what was there before it.
  ///
  /// Nothing is published and nothing lands in the middle of an `edit { }`, unless it saves.
  ///
  /// - Returns: what each landed save changed here, in order.
  func settle(isSaving: Bool = false) -> [TurnChanges] {
    // An object that takes over what a push has made of it has no draft.
    encodeEdits()
    guard savepoints.isEmpty || isSaving else { return [] }
    // What has been laid over `working` so far. Pushes may go on arriving; who came before is not
    // composed again, or savers who push faster than this would keep it going for ever.
    var laid = working
    var laidTouched: [[ObjectKey]] = []
    while true {
      let state = layer.current
      if isPublished && state.inbox.isEmpty { return [] }
      if !isPublished {
        for push in state.inbox[laidTouched.count...] {
          let composed = Composition.compose(
            pushed: push.segment, onto: laid, on: ground(of: push, onto: laid), schema: schema)
          laidTouched.append(composed.changes.keys)
          laid = laid.adding(composed).compacted()
        }
      }
      let settled = isPublished ? state.published : laid
      let touched = isPublished ? state.inbox.map(\.touched) : laidTouched
      let news = isPublished ? nil : layer.news(from: state.published, to: settled)
      // Those who rest on this layer sort nothing that was done here.
      if layer.feed.isFollowed { settled.prepareRuns() }
      guard layer.publish(settled, ifStill: state.revision, news: news) else { continue }
      doubtUncovered(state.inbox)
      for (push, touched) in zip(state.inbox, touched) {
        willLand(push.segment, touching: touched, in: settled)
      }
      if let undoRecorder { record(landing: state.inbox, by: undoRecorder) }
      if !savepoints.isEmpty { landInSavepoints(state.inbox) }
      replaceWorking(settled)
      isPublished = true
      return zip(state.inbox, touched).map { take($0.segment, touching: $1) }
    }
  }

  /// What lies beneath this context, of everything that a push speaks of and that is not in `overlay`.
  /// If it cannot be read, the push rests on what its sender had read; a save looks it up again.
  func ground(of push: Layer.Push, onto overlay: Overlay) -> Ground {
    do {
      var ground = try Ground(
        of: push.segment, onto: overlay, doubting: .total, sent: push.found
      ) { [layer, coordinator] in
        try ReadView.take(own: Overlay(), layer: layer, source: coordinator)
      }
      for key in ground.absentKeys { doubt.insert(key) }
      ground.keepsLost = !merging.isAutomatic || isPinned
      return ground
    } catch {
      for key in push.segment.changes.keys { doubt.insert(key) }
      if deferredError == nil { deferredError = error }
      return Ground()
    }
  }

  /// Doubts what pushes rest on, if this context has learnt of something that their senders did not know.
  private func doubtUncovered(_ pushes: [Layer.Push]) {
    guard layer.parent != nil else { return }
    for push in pushes {
      for key in push.found.absentKeys { doubt.insert(key) }
      guard let ground = push.ground, !merging.following.isCovered(by: ground) else { continue }
      for key in push.segment.changes.keys { doubt.insert(key) }
      doubt.insert(GatheredNews(suspects: push.segment.linkTargets))
    }
  }

  /// Gives registered objects what a landed save made of them.
  ///
  /// - Parameter touched: the objects that the save has changed here.
  func take(_ segment: Segment, touching touched: [ObjectKey]) -> TurnChanges {
    var landed = TurnChanges()
    landed.note(segment, schema: schema)
    for key in touched {
      if let place = segment.changes.index(of: key), segment.changes.values[place].isReadLock {
        continue
      }
      switch working.kind(of: key) {
      case .insert?: landed.inserted.append(key)
      case .update?: landed.updated.append(key)
      case .delete?: landed.deleted.append(key)
      case nil: continue
      }
      guard let object = cache.object(for: key), let change = working.change(for: key) else {
        continue
      }
      adopt(change, for: object)
    }
    for place in segment.links.byPlace.keys { landed.updated.append(place.owner) }
    return landed
  }

  /// Gives an object without a draft what has become of it in the working overlay.
  private func adopt(_ change: Change, for object: ManagedObject) {
    switch change.kind {
    case .insert: object.status = .inserted
    case .update: object.status = .updated
    case .delete where change.base == nil:
      detach(object)
      return
    case .delete: object.status = .deleted
    }
    if let record = change.record { cache.replaceRecord(record, of: object) }
    object.generation = change.base?.generation ?? 0
    cache.notePending(nil, of: object)
  }

  /// Has the main actor's turn end soon after its first touch; other turns end by themselves.
  func noteTouched() {
    guard confinement == .mainActor, !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    MainTurns.scheduleEnd(of: self)
  }
}
