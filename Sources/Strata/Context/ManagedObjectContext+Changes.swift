// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// What has changed, and against what: the overlay tells, without loading anything.

extension ManagedObjectContext {
  /// Whether a save would write anything: `hasChanges`, but for changes of transient attributes
  /// alone. Core Data has no such property of a context. O(unsaved changes) if there are only such.
  public var hasPersistentChanges: Bool {
    encodeEdits()
    return working.segments.contains { !$0.links.isEmpty }
      || working.contains { key, change in
        switch change.kind {
        case .insert: true
        case .delete: change.base != nil
        case .update:
          !change.slots.isSubset(of: schema.entity(key.entity)?.layout.transientSlots ?? [])
        }
      }
  }

  /// The record of an object that its unsaved changes were made from; nil if it is new.
  func committedRecord(of object: ManagedObject) -> Record? {
    if let change = working.change(for: object.key) { return change.base?.record }
    return object.status == .inserted ? nil : cache.originalRecord(of: object)
  }

  /// The slots of an object that were set since it was last saved.
  func editedSlots(of object: ManagedObject) -> SlotSet {
    var slots = working.change(for: object.key)?.slots ?? []
    if let draft = object.draft { slots.formUnion(draft.changed) }
    if object.status == .inserted { slots.formUnion(object.home.templateSlots) }
    return slots
  }

  /// What an object was when objectsDidChange was last posted, and the slots that may have been set
  /// since; nil for an object that was not there.
  func recordAtTurnStart(of object: ManagedObject) -> (record: Record?, slots: SlotSet) {
    var slots = editedSlots(of: object)
    guard let former = turnStart.change(for: object.key) else {
      return (committedRecord(of: object), slots)
    }
    slots.formUnion(former.slots)
    return (former.record, slots)
  }

  /// Whether links are unsaved of a relationship whose links are kept beside the objects, and which
  /// has this object at an end.
  func hasPendingLinks(of object: ManagedObject) -> Bool {
    // What came and went again is no change: encoding tells.
    encodeEdits()
    return object.home.entity.relationships.contains { relationship in
      guard case .links(let number, _)? = relationship?.storage else { return false }
      let place = LinkPlace(number, object.key)
      return !working.links(at: place).isEmpty
    }
  }

  /// The stamp of an external slot beneath the object's unsaved changes by now, or, if the turn began with
  /// a change of it, of that.
  func externalStamp(of key: ObjectKey, at slot: Int, beforeTurn: Bool) -> DataStamp? {
    do {
      let own = beforeTurn ? turnStart : Overlay()
      return try currentView().over(own).externalStamp(of: key, at: slot)
    } catch {
      if deferredError == nil { deferredError = error }
      return nil
    }
  }

  /// The value of an external slot that `stamp` is of, which the object had when the turn began or has
  /// beneath its unsaved changes; nil if nobody has it any more.
  func formerExternalData(
    of key: ObjectKey, at slot: Int, fitting stamp: DataStamp
  ) -> ExternalData? {
    if let former = turnStart.change(for: key)?.external.value(at: slot, fitting: stamp) {
      return former
    }
    do {
      let found = try currentView().over(Overlay()).externalData(of: key, at: slot)
      return found?.stamp == stamp ? found : nil
    } catch {
      if deferredError == nil { deferredError = error }
      return nil
    }
  }
}
