// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

// The part of one context in a save through several levels (`ThroughSave`).

extension SaveSession {
  /// Puts the changes from below on top of this context's own, and freezes the latter until the
  /// store has them. The topmost context hands the result to the store.
  ///
  /// - Parameter level: the number of levels between this context and the saver.
  /// - Returns: another save of the context that is under way: to be waited for outside, before
  ///   this is called again.
  /// - Throws: as `ManagedObjectContext.save()` before it hands anything over, and `LevelError`.
  func join(_ whole: ThroughSave, level: Int) throws -> PendingSave? {
    if let earlier = work.pendingSave, !earlier.isFinished { return earlier }
    try observed { try whenPrepared { try freeze(for: whole, level) } }
    return nil
  }

  /// - Returns: this context's part; nil if it has no changes, or a level has withdrawn its own.
  private func freeze(for whole: ThroughSave, _ level: Int) throws -> PendingSave? {
    var composed = try ThroughSave.Composed(whole.composed, in: self)
    let passage = passage(of: whole)
    var save: PendingSave?
    while true {
      if work.hasChanges || work.working.hasReadLocks {
        if layer.freeze(work.working, passing: passage) {
          save = PendingSave(ownChanges, of: whole, operation)
          break
        }
      } else if passage.map({ layer.pass($0, over: work.working) }) ?? true {
        endUnchanged()
        break
      }
      work.isPublished = false
      try prepareToSave()
      composed = try ThroughSave.Composed(whole.composed, in: self)
    }
    if PlantedFault.throughPushes.isPlanted(in: schema) {
      work.changeWorking(to: composed.overlay)
    }
    let part = save.map { ThroughSave.Part(level: level, layer: layer, save: $0) }
    var isTaken = false
    defer {
      if !isTaken { passage?.end(isStored: false) }
      if let save, !isTaken {
        layer.unfreeze(save.changeSet.segments)
        // Children that have saved since composed their changes apart from the frozen ones.
        work.isPublished = false
      }
    }
    isTaken =
      layer.parent == nil
      ? try commit(composed, of: whole, with: part, passage)
      : whole.add(part, passage, composed)
    guard isTaken, let save else { return nil }
    work.pendingSave = save
    work.view = nil
    return save
  }

  /// - Returns: nil if nothing comes from below.
  private func passage(of whole: ThroughSave) -> ContextLayer.Passage? {
    guard let below = whole.composed?.overlay, !below.isEmpty else { return nil }
    return ContextLayer.Passage(of: below, through: layer) { [writer] in
      try whole.makeWay(by: writer)
    }
  }

  /// - Parameters:
  ///   - top: this context's part; nil if it has no changes.
  ///   - passage: the changes from below; nil for none.
  /// - Returns: false if a level has withdrawn its own.
  private func commit(
    _ composed: ThroughSave.Composed, of whole: ThroughSave, with top: ThroughSave.Part?,
    _ passage: ContextLayer.Passage?
  ) throws -> Bool {
    if top == nil, whole.parts.isEmpty { return whole.end() }
    try composed.validate(below: top, whole.parts, coordinator)
    let dropped = try composed.droppedRecords(in: coordinator)
    guard let parts = whole.begin(with: top, passage) else { return false }
    let sets = parts.map(\.save.changeSet)
    let changes = ChangeSet(
      composed.overlay, of: sets, mergePolicy: mergePolicy,
      author: reporter.transactionAuthor ?? sets.first { $0.author != nil }?.author,
      contextName: reporter.name, origin: layer.identity)
    coordinator.store.commit(changes, lendingThread: false) {
      whole.complete($0, of: changes, dropping: dropped)
    }
    PausePoint.sent.reach(schema)
    return true
  }

  /// Finishes this context's part, and merges the changes from below.
  func finish(_ whole: ThroughSave, level: Int) {
    if let save = whole.parts.first(where: { $0.level == level })?.save {
      if work.pendingSave === save { try? finish(save) }
    }
    if whole.error != nil, PlantedFault.refusalTakesAll.isPlanted(in: schema) {
      work.changeWorking(to: Overlay())
    }
    guard let keys = whole.keys(savedBelow: level) else { return }
    showSaved(keys)
    // It ends the unit of work of a level, also if all of its changes came from below.
    work.view = nil
    reader.movePin()
    if merger.isAutomatic, !reader.isPinned { return publisher.mergeArrivedEvents() }
    // Edits since this context has joined were made from the state before: its save is a conflict.
    work.encodeEdits()
    let unedited = keys.filter { work.working.change(for: $0) == nil }
    reporter.attempt { try publisher.merge(unedited) }
  }

  /// An object that came and went here, and that the save has brought back, is shown again.
  private func showSaved(_ keys: ChangedKeys) {
    let returning = (keys.inserted + keys.updated).filter {
      work.working.change(for: $0)?.isUnseenDeletion == true
    }
    if returning.isEmpty { return }
    work.changeWorking(to: work.working.forgetting(Set(returning), links: LinkChanges()))
  }

  private var ownChanges: ChangeSet {
    ChangeSet(
      work.working, mergePolicy: mergePolicy, author: reporter.transactionAuthor,
      contextName: reporter.name, origin: layer.identity)
  }
}

extension ThroughSave {
  /// The changes of a level and of all below it, as if each had saved to its parent.
  struct Composed: Sendable {
    let overlay: Overlay
    /// The objects of which a merge policy has dropped a change.
    private var dropped: Set<ObjectKey>
    private let mergePolicy: MergePolicy

    /// Puts the changes from below on top of a level's own.
    ///
    /// - Parameter below: nil for the saver.
    /// - Throws: `LevelError`; the errors of reading.
    init(_ below: Composed?, in session: SaveSession) throws {
      mergePolicy = session.mergePolicy
      dropped = below?.dropped ?? []
      let own = session.work.working
      guard let below, let sent = below.overlay.flattened() else {
        overlay = own
        return
      }
      let policy =
        PlantedFault.receiversPolicy.isPlanted(in: session.schema)
        ? mergePolicy : below.mergePolicy
      do {
        let laid = try LaidChanges(
          sent, onto: own, comparing: own, doubting: .total,
          keepingLost: !session.merger.isAutomatic || session.reader.isPinned, policy,
          schema: session.schema
        ) {
          try ReadView.take(own: Overlay(), layer: session.layer, source: session.coordinator)
        }
        overlay = laid.settled
        dropped.formUnion(laid.decisions.map(\.key))
      } catch let error as StoreError {
        throw LevelError(ofChanges: error)
      }
    }

    /// The objects of which a change was dropped and no other is left, as the store has them; nil
    /// for one that is gone. The levels rest on no pin after the save.
    func droppedRecords(
      in coordinator: PersistentStoreCoordinator
    ) throws -> [ObjectKey: Record?] {
      let keys = dropped.filter { overlay.change(for: $0) == nil }
      if keys.isEmpty { return [:] }
      let snapshot = try coordinator.snapshot()
      var records: [ObjectKey: Record?] = [:]
      for key in keys { records.updateValue(try snapshot.record(for: key)?.record, forKey: key) }
      return records
    }

    /// Validates the changes of all levels together, in a context on the store that has nothing
    /// else. Each level has validated its own alone, and two levels may change one object.
    ///
    /// - Parameters:
    ///   - top: the part of the topmost context; nil if it has none.
    ///   - parts: the others.
    /// - Throws: `LevelError` of the nearest level that has changed an object of a failure; the
    ///   errors of reading.
    func validate(
      below top: Part?, _ parts: [Part], _ coordinator: PersistentStoreCoordinator
    ) throws {
      if parts.isEmpty || coordinator.schema.validation.isEmpty { return }
      let whole = ManagedObjectContext(parent: coordinator)
      whole.work.replaceWorking(overlay)
      whole.saving.preparation = SavePreparation()
      do {
        try whole.saving.validate()
      } catch ContextError.validationFailed(let failures) {
        let keys = failures.map(\.objectID.key)
        let blamed = (parts + [top].compactMap(\.self)).first { part in
          keys.contains { part.save.changeSet.changes.index(of: $0) != nil }
        }
        throw LevelError(
          blamed?.level ?? 0, blamed?.save.changeSet.contextName,
          ContextError.validationFailed(failures))
      }
    }
  }
}
