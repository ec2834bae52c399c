// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives

/// The one lock of a coordinator that guards the current pointers of all its layers, and nothing
/// else.
///
/// One for all, because a push changes two layers at once and a reader copies a whole chain at
/// once: with a lock per layer, a grandchild could see half of a sibling's save. It is held for the
/// copying of pointers; nothing is merged, encoded, indexed or freed under it.
///
/// ## Isolation
/// Sendable.
package final class LayerLock: Sendable {
  private let mutex = CountedMutex(())

  package init() {}

  package func withLock<R: ~Copyable>(_ body: () -> sending R) -> sending R {
    mutex.withLock { _ in body() }
  }

  /// How often and how long threads have waited for it.
  package var waits: LockWaits { mutex.waits }
}
