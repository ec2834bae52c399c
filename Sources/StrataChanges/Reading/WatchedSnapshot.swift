// SPDX-License-Identifier: Apache-2.0

/// A snapshot that counts what is read of it, and stops a fetch whose task has been cancelled.
///
/// Everything that a fetch reads of the store passes through its snapshot, and the view tells of what it
/// reads of unsaved changes (`ReadView.watch`). So this is the one place to look at the task, whatever the
/// plan of the fetch is. What a fetch does without reading, putting the rows of a
/// sort in order at the end, it cannot interrupt.
///
/// ## Isolation
/// One task's; not Sendable.
package final class WatchedSnapshot: SnapshotWrapper {
  package let generation: UInt64
  package let snapshot: any Snapshot
  private let report: (_ readCount: Int) throws -> Void
  package private(set) var readCount = 0

  /// After so many entries and records the task is looked at.
  private static let stride = 256

  /// - Parameter report: is told now and then how much has been read; what it throws ends the fetch.
  package init(
    _ snapshot: any Snapshot, report: @escaping (_ readCount: Int) throws -> Void
  ) {
    self.snapshot = snapshot
    self.report = report
    generation = snapshot.generation
  }

  /// - Throws: `CancellationError`; what `report` throws.
  package func noteRead() throws {
    readCount += 1
    guard readCount.isMultiple(of: Self.stride) else { return }
    try Task.checkCancellation()
    try report(readCount)
  }
}
