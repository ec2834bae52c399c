// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The objects whose unsaved changes may not rest on the state beneath the context now: other
/// contexts have changed them, or the context has edited an outdated object.
///
/// A save to a parent looks these objects up, so that it applies the edited slots to the parent's
/// own values. All other objects cost it nothing.
///
/// ## Invariants
/// - I1 An object with unsaved changes, or one to which an unsaved link leads, is in doubt if the
///   state beneath the context may differ from the origin of the change. Doubt without cause is
///   allowed.
package struct Doubt: Sendable {
  package private(set) var keys: Set<ObjectKey> = []
  /// Whether all objects are in doubt.
  package private(set) var isTotal = false

  package init() {}

  /// Doubts all objects.
  package static let total: Doubt = {
    var doubt = Doubt()
    doubt.isTotal = true
    return doubt
  }()

  package var isEmpty: Bool { !isTotal && keys.isEmpty }

  package func contains(_ key: ObjectKey) -> Bool { isTotal || keys.contains(key) }

  package mutating func insert(_ key: ObjectKey) { if !isTotal { keys.insert(key) } }

  package mutating func remove(_ key: ObjectKey) { if !isTotal { keys.remove(key) } }

  /// More objects than these by themselves cost more than to doubt all.
  private static let keyCountMax = 10_000

  package mutating func insert(_ events: GatheredEvents) {
    guard !isTotal else { return }
    let count = events.keys.reduce(events.suspects.count) { $0 + $1.count }
    if events.isUnknown || keys.count + count > Self.keyCountMax {
      self = .total
      return
    }
    for changed in events.keys {
      keys.formUnion(changed.inserted)
      keys.formUnion(changed.updated)
      keys.formUnion(changed.deleted)
    }
    keys.formUnion(events.suspects)
  }
}
