// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives

/// How often and how long threads have waited for the locks that every read passes through: whoever
/// waited, for a read or for anything else. All of them guard pointers and are held for moments;
/// none is held while something is written.
package struct LockStatistics: Sendable, Hashable {
  /// The lock over what contexts have published; also taken by each save to a parent.
  package var layers = LockWaits()
  /// The store's lock over whether it is open.
  package var store = LockWaits()
  /// The pool of read transactions that wait for their next snapshot.
  package var readers = LockWaits()
  /// The tables by which entities find what slot a key path reads. One for all stores of a process
  /// that have the entity.
  package var keyPaths = LockWaits()

  package init() {}

  /// All of them together.
  package var all: LockWaits { layers + store + readers + keyPaths }
}
