// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A snapshot of the store that several isolations use: that of a pin, which the pinned context, its
/// children and every holder of the token read.
///
/// A lock is held for each look-up and for each step of a scan, not while a scan's body looks at an entry.
/// So nobody waits for another's whole fetch, and a body may read through the same snapshot. The bytes that
/// a body gets lie in the snapshot's pages, which stay as they are.
///
/// ## Isolation
/// Sendable. Safety: `lock` guards `snapshot`.
package final class SharedSnapshot: SnapshotWrapper, @unchecked Sendable {
  package let generation: UInt64
  package let snapshot: any Snapshot
  private let lock = NSLock()

  package init(_ snapshot: any Snapshot) {
    self.snapshot = snapshot
    generation = snapshot.generation
  }

  package func call<Result>(_ read: () throws -> Result) rethrows -> Result {
    try lock.withLock(read)
  }

  package func show<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.unlock()
    defer { lock.lock() }
    return try body()
  }
}
