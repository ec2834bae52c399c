// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A snapshot of the store that several isolations use: the snapshot of a pin, which the pinned
/// context, its children and every holder of the token read.
///
/// A lock is held for each look-up and for each step of a scan, not during a scan's body. So no
/// reader waits for another's whole fetch, and a body may read through the same snapshot. The bytes
/// that a body gets are in the snapshot's pages, which do not change.
///
/// ## Isolation
/// Sendable. Safety: `lock` guards `snapshot`.
package final class SharedSnapshot: SnapshotWrapper, @unchecked Sendable {
  package let generation: UInt64
  package let snapshot: any Snapshot
  private let lock = NSLock()
  /// Kept for the store's reports.
  private let holder: (any AnyObject & Sendable)?

  /// - Parameter name: the name of the context that takes the snapshot, for the store's reports.
  package init(_ snapshot: any Snapshot, heldBy name: String? = nil) {
    self.snapshot = snapshot
    holder = name.flatMap { snapshot.noteHolder($0) }
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
