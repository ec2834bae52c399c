// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives

/// How often and how long threads have waited for the locks that every read passes through. The
/// counts include waits of all operations. All of these locks guard pointers and are held for
/// moments; none is held during a write.
package struct LockStatistics: Sendable, Hashable {
  /// The lock over the published changes of contexts; each save to a parent takes it too.
  package var layers = LockWaits()
  /// The store's lock over whether it is open.
  package var store = LockWaits()
  /// The tables in which entities look up the slot of a key path. All stores of a process that have
  /// the entity share one.
  package var keyPaths = LockWaits()

  package init() {}

  /// All of them together.
  package var all: LockWaits { layers + store + keyPaths }
}
