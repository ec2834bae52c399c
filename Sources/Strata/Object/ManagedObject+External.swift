// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

// External attributes: the record says that there was a value when it was read, and how long it was; the
// bytes lie in the draft, in a pending change, or in the store.

/// What an external slot of an object shows. `ManagedObject.shown(at:)` alone says so: to who reads the
/// property, to who sets it, for whom equal bytes are no change, and to who asks what has changed.
private enum ShownExternal {
  case nothing
  /// What was set since the object was encoded, or by an awake method.
  case here(ExternalData)
  /// What the turn's view has: a stale object's own stamp does not tell.
  case inView
}

extension ManagedObject {
  private final func shown(at slot: Int) -> ShownExternal {
    if let draft {
      if let set = draft.external[slot] { return .here(set) }
      if draft.changed.contains(slot) { return .nothing }
    } else if record == nil {
      return .nothing
    }
    guard let context = context(for: .value(slot: slot)) else { return .nothing }
    if context.registry.cache.isAwakened(self, at: slot) {
      return context.registry.cache.awakenedValue(of: self, at: slot).map(ShownExternal.here)
        ?? .nothing
    }
    return .inView
  }

  /// What an external slot shows; nil if it has no value. An error waits for the next call that can
  /// throw.
  final func externalData(at slot: Int) -> ExternalData? {
    switch shown(at: slot) {
    case .nothing: nil
    case .here(let value): value
    case .inView:
      home.context?.reader.view(showing: self) { try $0.externalData(of: self.key, at: slot) }
    }
  }

  /// The stamp of what an external slot shows; nil if it has no value. The bytes are not read.
  final func externalStamp(at slot: Int) -> DataStamp? {
    switch shown(at: slot) {
    case .nothing: nil
    case .here(let value): value.stamp
    case .inView:
      home.context?.reader.view(showing: self) { try $0.externalStamp(of: self.key, at: slot) }
    }
  }

  /// Sets an external slot, if the bytes are others than it shows.
  ///
  /// To ask what it shows may take a view and merge, which encodes drafts: the draft is asked for after.
  final func storeExternal<T: AttributeValue>(_ value: T, at slot: Int) {
    let value = value.externalData
    guard draft != nil || record != nil, value?.stamp != externalStamp(at: slot) else { return }
    let observed = observation == 0 ? nil : home.observed
    observed?.willSet(self, slot)
    draftForEditing(slot)?.replaceExternal(with: value, at: slot)
    observed?.didSet(self, slot)
  }
}

extension ContextReader {
  /// Reads what an object shows in the turn's view: of one that is deleted here, what lies beneath.
  fileprivate func view<Value>(
    showing object: ManagedObject, _ read: (ReadView) throws -> Value?
  ) -> Value? {
    return reporter.attempt(orElse: nil) {
      let view = try currentView()
      return try read(object.status == .deleted ? view.over(Overlay()) : view)
    }
  }
}
