// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// How a merge is made: everything is read first, then observers are notified, and then all is
// applied to objects and pending changes. An error leaves all as it was.

/// What the events say about one object: that it is to be looked at, and whether it was there at
/// the last merge. The view tells whether it is there now.
private struct ChangeHint {
  /// How often it was inserted and deleted since the last merge.
  var insertionCount: UInt32 = 0
  var deletionCount: UInt32 = 0
  /// Whether events name it as changed. Otherwise it may have changed, and is reported only if it
  /// did.
  var isNamed = false
  /// Whether only the view tells whether it is there, because the events do not, or because an
  /// unsaved link leads to or from it.
  var isUnsettled = false

  mutating func note(_ kind: Change.Kind) {
    isNamed = true
    switch kind {
    case .insert: insertionCount += 1
    case .update: break
    case .delete: deletionCount += 1
    }
  }

  /// Whether it is looked up even if it is not registered.
  var isLookedUp: Bool { isUnsettled || insertionCount > 0 && deletionCount > 0 }

  /// Whether the object was there at the last merge. If that is not known, it was if it has gone,
  /// and was not if it has come: a report may be repeated, and is never missing.
  func wasThere(isThere: Bool) -> Bool {
    guard isNamed, insertionCount > 0 else { return isNamed }
    if isUnsettled { return !isThere }
    return (isThere ? 1 : 0) + deletionCount > insertionCount
  }
}

/// The plan of a merge, after everything is read.
private struct MergePlan {
  /// The state beneath the context.
  let view: ReadView
  /// Whether unregistered objects are looked up before they are reported.
  let isChecked: Bool
  var reported = TurnChanges()
  /// Registered clean objects and the records that they take.
  var taken: [(object: ManagedObject, stored: StoredRecord)] = []
  /// Gone objects that are there again.
  var revived: [ManagedObject] = []
  /// Pending changes on their new base.
  var raised: [ObjectKey: Change] = [:]
  /// For each savepoint under way, its pending changes on their new base, and its new objects: they
  /// stay.
  var savepoints: [(raised: [ObjectKey: Change], inserted: Set<ObjectKey>)] = []
  /// Pending, registered or named objects that the view no longer has.
  var gone: Set<ObjectKey> = []
  var arena = RecordArena()

  /// Reports an object that is there: as inserted, if events say that it has come since the last
  /// merge. It may have been read, and a child may have updated it, before its insertion is merged.
  mutating func report(_ key: ObjectKey, by hint: ChangeHint) {
    let hasCome = hint.isNamed && !hint.wasThere(isThere: true)
    if hasCome { reported.inserted.append(key) } else { reported.refreshed.append(key) }
  }
}

extension ContextMerger {
  /// Updates the registered objects and pending changes to the state that `view` shows beneath
  /// them.
  ///
  /// - Parameter isChecked: whether unregistered objects are looked up before they are reported; if
  ///   not, the feeds' events are trusted.
  /// - Returns: the changes to report.
  func merge(_ events: GatheredEvents, in view: ReadView, isChecked: Bool) throws -> TurnChanges {
    work.encodeEdits()
    let hints = hints(of: events)
    var plan = try plan(hints, in: view, isChecked: isChecked)
    if !registry.isUnobserved {
      let former = work.working
      notifyObservers(of: plan, hints.keys, isUnknown: events.isUnknown)
      work.encodeEdits()
      // Observers may have made changes, or have taken a newer view.
      let present = try reader.currentView()
      if present !== view || !work.working.isIdentical(to: former) {
        plan = try self.plan(hints, in: present, isChecked: isChecked)
      }
    }
    apply(plan.taken)
    for object in plan.revived { object.status = .clean }
    let reported = applyToPending(plan)
    if schema.hooks.contains(.awakeFromSnapshotEvents) {
      for (object, _) in plan.taken { loader.awake(object, from: .refresh) }
    }
    loader.awake(plan.raised.keys, from: .refresh)
    return reported
  }

  private func plan(
    _ hints: [ObjectKey: ChangeHint], in view: ReadView, isChecked: Bool
  ) throws -> MergePlan {
    var plan = MergePlan(view: view, isChecked: isChecked)
    plan.savepoints = Array(repeating: ([:], []), count: work.savepoints.count)
    for (key, hint) in hints {
      if let change = work.working.change(for: key) {
        try planPending(change, of: key, hint, &plan)
      } else {
        try planClean(key, hint, &plan)
      }
      for index in work.savepoints.indices { try planSavepoint(index, key, &plan) }
    }
    return plan
  }

  private func hints(of events: GatheredEvents) -> [ObjectKey: ChangeHint] {
    var hints: [ObjectKey: ChangeHint] = [:]
    for keys in events.keys {
      for key in keys.inserted { hints[key, default: ChangeHint()].note(.insert) }
      for key in keys.updated { hints[key, default: ChangeHint()].note(.update) }
      for key in keys.deleted { hints[key, default: ChangeHint()].note(.delete) }
    }
    for key in events.suspects where hints[key] == nil { hints[key] = ChangeHint() }
    for key in events.unsettled { hints[key]?.isUnsettled = true }
    if events.isUnknown {
      for object in registry.cache.objects where hints[object.key] == nil && !object.isFault {
        hints[object.key] = ChangeHint()
      }
      for key in work.keysOfPending { hints[key, default: ChangeHint()].isUnsettled = true }
    }
    return hints
  }

  // MARK: - Reading

  private func planClean(_ key: ObjectKey, _ hint: ChangeHint, _ plan: inout MergePlan) throws {
    let object = registry.cache.registeredObject(for: key)
    guard let object, !object.isFault else {
      return try planUnloaded(object, key, hint, &plan)
    }
    guard let stored = try plan.view.record(of: key) else {
      if object.status != .gone || registry.unreportedGone.contains(key) {
        plan.reported.deleted.append(key)
      }
      plan.gone.insert(key)
      return
    }
    if object.status == .gone {
      plan.revived.append(object)
      plan.reported.inserted.append(key)
      return
    }
    if hint.isNamed || registry.cache.originalRecord(of: object) != stored.record {
      plan.report(key, by: hint)
    }
    plan.taken.append((object, stored))
  }

  /// An object without values here, registered or not.
  private func planUnloaded(
    _ object: ManagedObject?, _ key: ObjectKey, _ hint: ChangeHint, _ plan: inout MergePlan
  ) throws {
    // An object to which something was linked here is looked up: it may be gone.
    let isLookedUp = plan.isChecked || hint.isLookedUp || work.hasUnsavedLinks(key)
    if !hint.isNamed && object == nil && !isLookedUp { return }
    let exists: Bool
    if let change = plan.view.change(for: key) {
      exists = change.kind != .delete
    } else {
      exists = try isLookedUp ? plan.view.snapshot.contains(key) : hint.deletionCount == 0
    }
    guard exists else {
      if object != nil || hint.isNamed { plan.reported.deleted.append(key) }
      // It came and went, which no message says; but a list may have been fetched in between.
      if object == nil, hint.isNamed, !hint.wasThere(isThere: false) {
        plan.reported.inserted.append(key)
      }
      plan.gone.insert(key)
      return
    }
    if hint.isNamed { plan.report(key, by: hint) }
  }

  private func planPending(
    _ change: Change, of key: ObjectKey, _ hint: ChangeHint, _ plan: inout MergePlan
  ) throws {
    guard let base = change.base else { return }
    if work.working.isFrozen(key) {
      postponed.insert(key)
      return
    }
    guard let entity = schema.entity(key.entity),
      let beneath = try plan.view.inheritedBase(of: key)
    else {
      plan.gone.insert(key)
      plan.reported.deleted.append(key)
      return
    }
    work.doubt.remove(key)
    // A change that already rests on the state beneath keeps its readings, even if some of its
    // contributors had read an older state. A merge of the object by name discards them, too.
    let isChangedBeneath = !base.rests(on: beneath)
    if isChangedBeneath || plan.isChecked {
      var raised = change.raised(onto: beneath, entity, into: &plan.arena)
      if PlantedFault.mergeDropsEdits.isPlanted(in: schema), change.kind == .update {
        raised.record = beneath.record
      }
      plan.raised[key] = raised
    }
    if change.kind == .update, isChangedBeneath || hint.isNamed { plan.report(key, by: hint) }
  }

  /// A savepoint that throws takes back no merge, so its changes are merged as well.
  private func planSavepoint(_ index: Int, _ key: ObjectKey, _ plan: inout MergePlan) throws {
    let working = work.savepoints[index].working
    guard let change = working.change(for: key) else { return }
    guard change.base != nil else {
      plan.savepoints[index].inserted.insert(key)
      return
    }
    // An object that is gone is dropped from all of them.
    guard !working.isFrozen(key), let entity = schema.entity(key.entity),
      let beneath = try plan.view.inheritedBase(of: key)
    else { return }
    plan.savepoints[index].raised[key] = change.raised(
      onto: beneath, entity, into: &plan.arena)
  }

  // MARK: - Notifying

  /// Notifies observers of all that a merge is about to change.
  ///
  /// The former owners of a member that is not loaded here are not known, so observers of that
  /// relationship are notified whatever its owner.
  ///
  /// - Parameters:
  ///   - keys: the objects that may have changed beneath.
  ///   - isUnknown: whether others may have changed, too.
  private func notifyObservers(
    of plan: MergePlan, _ keys: Dictionary<ObjectKey, ChangeHint>.Keys, isUnknown: Bool
  ) {
    for (object, stored) in plan.taken
    where registry.cache.originalRecord(of: object) != stored.record {
      object.recordWillChange(to: stored.record)
    }
    for (key, change) in plan.raised {
      let former = work.working.change(for: key)?.record
      registry.recordWillChange(of: key, from: former, to: change.record)
    }
    for key in plan.gone {
      let former = registry.cache.registeredObject(for: key)?.record
      guard let former = former ?? work.working.change(for: key)?.record else { continue }
      registry.recordWillChange(of: key, from: former, to: nil)
    }
    let (overlay, consequences) = merged(work.working, plan.raised, without: plan.gone)
    if let consequences {
      registry.willTake(
        consequences, touching: consequences.changes.keys, on: work.working, in: overlay)
    }
    var unloaded: Set<EntityNumber> = []
    for key in keys {
      registry.linksMayChange(of: key)
      if let object = registry.cache.registeredObject(for: key) {
        if object.record != nil || object.draft != nil { continue }
        if object.status == .gone { registry.recordWillChange(of: key, from: nil, to: nil) }
      }
      unloaded.insert(key.entity)
    }
    registry.membersMayChange(
      of: isUnknown ? nil : schema.relationships(withMembersOf: unloaded))
  }

  // MARK: - Applying

  private func apply(_ taken: [(object: ManagedObject, stored: StoredRecord)]) {
    for (object, stored) in taken {
      if registry.cache.originalRecord(of: object) != stored.record {
        registry.cache.replaceRecord(stored.record, of: object)
      }
      object.generation = stored.generation
      registry.cache.noteCurrent(object)
      loader.notePendingBase(of: object)
    }
  }

  /// Unsaved changes on their new base, and what deletions beneath have changed in them.
  private func merged(
    _ working: Overlay, _ raised: [ObjectKey: Change], without gone: Set<ObjectKey>
  ) -> (overlay: Overlay, consequences: Segment?) {
    var overlay = working
    if !raised.isEmpty {
      overlay = overlay.adding(Segment(changes: raised, schema: schema)).compacted()
    }
    let consequences = self.consequences(ofDeleting: gone, in: overlay)
    if let consequences { overlay = overlay.adding(consequences).compacted() }
    if !gone.isEmpty { overlay = overlay.dropping(gone, schema: schema) }
    return (overlay, consequences)
  }

  private func applyToPending(_ plan: MergePlan) -> TurnChanges {
    var reported = plan.reported
    let (overlay, consequences) = merged(work.working, plan.raised, without: plan.gone)
    for (index, planned) in plan.savepoints.enumerated() {
      let gone = plan.gone.subtracting(planned.inserted)
      work.savepoints[index].working =
        merged(work.savepoints[index].working, planned.raised, without: gone).overlay
    }
    if !overlay.isIdentical(to: work.working) {
      work.changeWorking(to: overlay)
    }
    for (key, change) in plan.raised {
      guard let object = registry.cache.registeredObject(for: key) else { continue }
      if let record = change.record { registry.cache.replaceRecord(record, of: object) }
      object.generation = change.base?.generation ?? 0
      registry.cache.notePending(nil, of: object)
      registry.cache.noteCurrent(object)
    }
    if work.pendingSave != nil { postponed.formUnion(plan.gone) }
    reporter.forget(plan.gone)
    for object in plan.revived { registry.unreportedGone.remove(object.key) }
    for key in plan.gone {
      registry.unreportedGone.remove(key)
      guard let object = registry.cache.registeredObject(for: key) else { continue }
      object.status = .gone
      registry.cache.setRecord(nil, of: object)
    }
    if let consequences {
      let reached = work.takeOwn(consequences, touching: consequences.changes.keys)
      reported.append(reached, schema: schema)
    }
    return reported
  }

  /// The effects of deletions elsewhere on unsaved changes here: links to the deleted objects are
  /// dropped, and their delete rules run on members that this context has linked to them.
  private func consequences(ofDeleting gone: Set<ObjectKey>, in overlay: Overlay) -> Segment? {
    if gone.isEmpty || overlay.isEmpty { return nil }
    let deletion = Segment(
      changes: Dictionary(uniqueKeysWithValues: gone.map { ($0, .delete(base: nil)) }),
      schema: schema)
    let composed = Composition.compose(goneBeneath: deletion, onto: overlay, schema: schema)
    let reached = Segment(
      changes: composed.changes.filter { !gone.contains($0.key) }, links: composed.links,
      schema: schema)
    return reached.isEmpty ? nil : reached
  }
}
