// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

// External attributes: the record says that there is a value and how long it is; the bytes lie in the
// draft, in a pending change, or in the store.

extension ManagedObject {
  /// What an external slot stands for: what was set here, or what the turn's view has now. nil if there
  /// is no value, or if it is gone from there. An error waits for the next call that can throw.
  final func externalData(at slot: Int) -> ExternalData? {
    guard let context = home.context, let stamp = externalStamp(at: slot) else { return nil }
    if let set = draft?.external.value(at: slot, fitting: stamp) { return set }
    if let set = context.cache.awakenedValue(of: self, at: slot, fitting: stamp) { return set }
    return context.readExternalData(of: self, at: slot)
  }

  private final func externalStamp(at slot: Int) -> DataStamp? {
    if let draft { draft.slot(slot).stamp } else { record?.stamp(at: slot, home.layout) }
  }

  /// Sets an external slot, if the bytes are others than those that it stands for: their stamps tell,
  /// nothing is read.
  final func storeExternal<T: AttributeValue>(_ value: T, at slot: Int) {
    let value = value.externalData
    guard draft != nil || record != nil, value?.stamp != externalStamp(at: slot) else { return }
    let observed = observation == 0 ? nil : home.observed
    observed?.willSet(self, slot)
    home.context?.draftForEditing(self)?.setExternal(value, at: slot)
    observed?.didSet(self, slot)
  }
}

extension ManagedObjectContext {
  /// What an external slot stands for in the turn's view.
  func readExternalData(of object: ManagedObject, at slot: Int) -> ExternalData? {
    do {
      return try currentView().externalData(of: object.key, at: slot)
    } catch {
      if deferredError == nil { deferredError = error }
      return nil
    }
  }
}
