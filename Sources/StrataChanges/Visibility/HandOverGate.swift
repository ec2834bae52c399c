// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// Lets one save of a child into a layer go first, while its siblings wait.
///
/// A save composes its changes outside any lock, and begins again if the layer has changed during
/// that. Siblings with few changes are faster than one with many, and could overtake it for ever:
/// after some attempts it closes the gate.
///
/// ## Isolation
/// Sendable. The thread that has the gate closed waits for no other saver.
package final class HandOverGate: Sendable {
  private let isClosed = Atomic(false)
  private let lock = CountedMutex(())

  package init() {}

  /// Waits while another save has the gate closed. Otherwise one atomic load.
  package func pass() {
    if isClosed.load(ordering: .acquiring) { lock.withLock { _ in } }
  }

  /// Calls `body` while later savers wait in `pass`. Each of those that have passed already may
  /// still be first, once.
  package func close<Result: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { (_) throws(Failure) in
      isClosed.store(true, ordering: .releasing)
      defer { isClosed.store(false, ordering: .releasing) }
      return try body()
    }
  }
}
