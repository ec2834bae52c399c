// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

// External attributes: the record has the existence and the length of a value at the time of
// reading; the bytes are in the draft, in a pending change, or in the store.

extension ManagedObject {
  /// What an external slot shows, to getters, to setters, which compare with it, and to the methods
  /// that list changes; nil if it has no value.
  ///
  /// A deleted object shows the value beneath the deletion. An error waits for the next call that
  /// can throw.
  ///
  /// - Parameters:
  ///   - set: reads a value that was set since the object was encoded, or by an awake method.
  ///   - seen: reads the value from the turn's view: the object's own stamp may be stale.
  private final func shown<Shown>(
    at slot: Int, _ set: (ExternalData) -> Shown, _ seen: (ReadView) throws -> Shown?
  ) -> Shown? {
    if let draft {
      if let value = draft.external[slot] { return set(value) }
      if draft.changed.contains(slot) { return nil }
    } else if record == nil {
      return nil
    }
    guard let context = context(for: .value(slot: slot)) else { return nil }
    if context.registry.cache.isAwakened(self, at: slot) {
      return context.registry.cache.awakenedValue(of: self, at: slot).map(set)
    }
    return context.reporter.attempt(orElse: nil) {
      let view = try context.reader.currentView()
      return try seen(status == .deleted ? view.over(Overlay()) : view)
    }
  }

  /// The bytes that an external slot shows; nil if it has no value.
  final func externalData(at slot: Int) -> ExternalData? {
    shown(at: slot, \.self) { try $0.externalData(of: key, at: slot) }
  }

  /// The stamp of the bytes that an external slot shows; nil if it has no value. The bytes are not
  /// read.
  final func externalStamp(at slot: Int) -> DataStamp? {
    shown(at: slot, \.stamp) { try $0.externalStamp(of: key, at: slot) }
  }

  /// Sets an external slot, if the bytes differ from its value and are not too large.
  ///
  /// Reading the value may take a view and merge, which encodes drafts: the draft is fetched
  /// afterwards.
  final func storeExternal<T: AttributeValue>(_ value: T, at slot: Int) {
    guard draft != nil || record != nil else { return }
    let bytes = value.externalBytes
    if let refusal = bytes.flatMap(ExternalData.refusal) {
      draftForEditing(slot)?.refuse(refusal, at: slot)
      return
    }
    let value = bytes.map { ExternalData($0) }
    guard value?.stamp != externalStamp(at: slot) else {
      let mayBeRefused = binding.hasRefusedValues || draft?.refused != nil
      if mayBeRefused { draftForEditing(slot)?.forgetRefusal(at: slot) }
      return
    }
    let observed = observation == 0 ? nil : binding.observed
    observed?.willSet(self, slot)
    draftForEditing(slot)?.replaceExternal(with: value, at: slot)
    observed?.didSet(self, slot)
  }
}
