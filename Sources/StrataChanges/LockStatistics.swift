// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// How often and how long threads have waited for the locks that every read passes through: whoever
/// waited, for a read or for anything else. All of them guard pointers and are held for moments;
/// none is held while something is written.
public struct LockStatistics: Sendable, Hashable {
  /// The lock over what contexts have published; also taken by each save to a parent.
  public var layers = LockWaits()
  /// The store's lock over whether it is open.
  public var store = LockWaits()
  /// The pool of views that wait for their next snapshot.
  public var views = LockWaits()
  /// The pool of read transactions, which a new view is made from.
  public var readers = LockWaits()
  /// The tables by which entities find what slot a key path reads. One for all stores of a process
  /// that have the entity.
  public var keyPaths = LockWaits()

  package init() {}

  /// All of them together.
  public var all: LockWaits { layers + store + views + readers + keyPaths }
}
