// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

// The ways from a layer to the context that owns it.

extension ContextLayer {
  // MARK: - Keeping the owner

  /// A reference that keeps the owner alive, and may be released in any isolation.
  package typealias Keeper = any AnyObject & Sendable

  /// Has `source` asked when a context is made that rests on this layer. It gives nil if the owner
  /// is gone. Called once at most.
  package func onKeeperRequest(_ source: @escaping @Sendable () -> Keeper?) {
    owner.withLock { $0.keeper = source }
  }

  /// A reference that keeps the owner alive; nil if it is deallocated, or confined to an isolation
  /// outside of which it may not be released.
  package var ownerKeeper: Keeper? { owner.withLock { $0 }.keeper?() }
}
