// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension ContextReader {
  /// The former state of an object, when objectsDidChange was last posted, and the slots that may
  /// have been set since; nil for an object that did not exist.
  func recordAtTurnStart(of object: ManagedObject) -> (record: Record?, slots: SlotSet) {
    var slots = work.editedSlots(of: object)
    guard let former = reporter.turnStart.change(for: object.key) else {
      return (work.committedRecord(of: object), slots)
    }
    slots.formUnion(former.slots)
    return (former.record, slots)
  }

  /// The present stamp of an external slot beneath the object's unsaved changes, or, if the turn
  /// began with a change of it, the stamp of that change.
  func externalStamp(of key: ObjectKey, at slot: Int, beforeTurn: Bool) -> DataStamp? {
    return reporter.attempt(orElse: nil) {
      let own = beforeTurn ? reporter.turnStart : Overlay()
      return try currentView().over(own).externalStamp(of: key, at: slot)
    }
  }

  /// The value of an external slot with the stamp `stamp`, which the object had at the beginning of
  /// the turn or has beneath its unsaved changes; nil if it is no longer available.
  func formerExternalData(
    of key: ObjectKey, at slot: Int, fitting stamp: DataStamp
  ) -> ExternalData? {
    if let former = reporter.turnStart.change(for: key)?.external.value(at: slot, fitting: stamp) {
      return former
    }
    return reporter.attempt(orElse: nil) {
      let found = try currentView().over(Overlay()).externalData(of: key, at: slot)
      return found?.stamp == stamp ? found : nil
    }
  }
}
