// SPDX-License-Identifier: Apache-2.0
public import StrataChanges

/// What a context can rest on: another context, by its `layer` or its `ContextQueue`, or the
/// `PersistentStoreCoordinator`, and with that the store itself.
///
/// One protocol for all, so that nesting of any depth is one code path.
/// Core Data: `parent` and `persistentStoreCoordinator`.
public protocol ContextParent: Sendable {
  /// Where a context below this parent reads and saves.
  var place: ContextPlace { get }
}

/// A place in a coordinator's tree of contexts. Strata makes these.
public struct ContextPlace: Sendable {
  package let coordinator: PersistentStoreCoordinator
  /// The parent's layer; nil if contexts here rest on the store itself.
  package let layer: Layer?
  /// Keeps the context of `layer` alive for the contexts that rest on it; nil if it cannot be kept
  /// from other isolations.
  package let keeper: (any AnyObject & Sendable)?
}

extension Layer: ContextParent {
  public var place: ContextPlace {
    guard let coordinator = source as? PersistentStoreCoordinator else {
      preconditionFailure("a context's layer reads from a coordinator")
    }
    return ContextPlace(coordinator: coordinator, layer: self, keeper: ownerKeeper)
  }
}

extension PersistentStoreCoordinator: ContextParent {
  public var place: ContextPlace { ContextPlace(coordinator: self, layer: nil, keeper: nil) }
}
