// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
import StrataPrimitives

/// The parent of a context: another context, by its `layer` or its `ContextQueue`, or the
/// `PersistentStoreCoordinator`, and with that the store itself.
///
/// One protocol covers all of them, so that nesting of any depth uses the same code. Core Data:
/// `parent` and `persistentStoreCoordinator`.
public protocol ContextParent: Sendable {
  /// Where a context below this parent reads and saves.
  var place: _ContextPlace { get }
}

/// A place in a coordinator's tree of contexts. Strata makes these.
public struct _ContextPlace: Sendable {
  package let coordinator: PersistentStoreCoordinator
  /// The parent's layer; nil if contexts here rest on the store itself.
  package let layer: ContextLayer?
  /// Keeps the context of `layer` alive for the contexts that rest on it; nil if it cannot be kept
  /// from other isolations.
  package let keeper: (any AnyObject & Sendable)?
}

extension ContextLayer: ContextParent {
  public var place: _ContextPlace {
    guard let coordinator = source as? PersistentStoreCoordinator else {
      stopProgram("a context's layer reads from a coordinator")
    }
    return _ContextPlace(coordinator: coordinator, layer: self, keeper: ownerKeeper)
  }
}

extension PersistentStoreCoordinator: ContextParent {
  public var place: _ContextPlace { _ContextPlace(coordinator: self, layer: nil, keeper: nil) }
}
