// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// When the life cycle methods of objects are called, but for those of a save. They are the program's
// code and may do whatever the context allows, so they run only where its state is whole; and only
// entities that have them are looked at.

extension ManagedObjectContext {
  // MARK: - Awaking

  /// Calls `awakeFromFetch` on an object that has been given its record.
  func awakeFromFetch(_ object: ManagedObject) {
    quietly(object) { object.awakeFromFetch() }
  }

  /// Calls `awakeFromSnapshotEvents` on an object whose record was replaced by `events`; if it is a
  /// fault, its values are loaded first. To be called when the context's state is whole.
  func awake(_ object: ManagedObject, from events: SnapshotEvents) {
    guard object.home.hooks.contains(.awakeFromSnapshotEvents), object.isAlive,
      object.status != .deleted
    else { return }
    if object.isFault {
      do { try fulfil(object) } catch {
        if deferredError == nil { deferredError = error }
      }
    }
    guard object.record != nil else { return }
    quietly(object) { object.awakeFromSnapshotEvents(events) }
  }

  /// Runs an awake method: what it sets in the object is put under it as if it had been loaded, and
  /// is no change. An object with a draft takes it into that: it is being edited.
  private func quietly(_ object: ManagedObject, _ method: () -> Void) {
    guard object.draft == nil else { return method() }
    awaking.append(object)
    method()
    awaking.removeAll { $0 === object }
    guard let draft = object.takeDraft() else { return }
    var arena = RecordArena()
    let set = draft.end(into: &arena)
    guard !set.changed.isEmpty, let record = object.record,
      let original = cache.originalRecord(of: object)
    else { return }
    // A merge may have replaced the record since the draft was made from it.
    let awakened = object.home.layout.splice(
      base: record, changes: set.record, slots: set.changed, into: &arena)
    cache.setAwakened(awakened, over: original, external: set.external, of: object)
  }

  // MARK: - Deleting

  /// Calls `prepareForDeletion`, once for a deletion.
  func prepareForDeletion(_ object: ManagedObject) {
    guard object.home.hooks.contains(.prepareForDeletion), object.isAlive,
      object.status != .deleted, deleting.insert(object.key).inserted
    else { return }
    object.prepareForDeletion()
  }

  // MARK: - Turning into faults

  /// Turns a clean object into a fault, and tells it and its observers.
  package func turnIntoFault(_ object: ManagedObject) {
    willTurnIntoFault(object)
    guard object.record != nil, object.draft == nil, object.status == .clean else { return }
    object.recordWillChange(to: nil)
    cache.setRecord(nil, of: object)
    if object.home.hooks.contains(.didTurnIntoFault) { object.didTurnIntoFault() }
  }

  func willTurnIntoFault(_ object: ManagedObject) {
    guard object.home.hooks.contains(.willTurnIntoFault), object.record != nil else { return }
    object.willTurnIntoFault()
  }

  /// Sees to the objects that the cache wants to be faults and that are told.
  func turnWaitingIntoFaults() {
    guard !cache.waiting.isEmpty, !isFaulting else { return }
    isFaulting = true
    defer { isFaulting = false }
    for _ in cache.waiting {
      guard let object = cache.nextWaiting() else { break }
      willTurnIntoFault(object)
      guard object.record != nil, object.draft == nil, object.status == .clean else { continue }
      cache.setRecord(nil, of: object)
      if object.home.hooks.contains(.didTurnIntoFault) { object.didTurnIntoFault() }
    }
  }

  // MARK: - Leaving the context

  /// Takes an object out of the context for good. One that is told keeps its values until
  /// `turnLeavingIntoFaults`, and reads as deleted meanwhile.
  func detach(_ object: ManagedObject) {
    guard object.status != .detached else { return }
    if object.observation != 0 { objectWillGo(object) }
    undoRecorder?.noteDetached(object)
    if !savepoints.isEmpty { savepoints[savepoints.count - 1].detached.append(object) }
    object.discardDraft()
    cache.unregister(object.key)
    if object.record != nil, !object.home.hooks.isDisjoint(with: .faulting) {
      object.status = .deleted
      leaving.append(object)
    } else {
      object.status = .detached
      object.record = nil
    }
  }

  /// Takes back an object that has left the context, whose key has no other instance.
  func reattach(_ object: ManagedObject) {
    leaving.removeAll { $0 === object }
    cache.register(object)
  }

  /// Tells the objects that have left the context, which is whole again.
  func turnLeavingIntoFaults() {
    while !leaving.isEmpty {
      let objects = leaving
      leaving = []
      for object in objects {
        willTurnIntoFault(object)
        object.status = .detached
        object.record = nil
        if object.home.hooks.contains(.didTurnIntoFault) { object.didTurnIntoFault() }
      }
    }
  }
}
