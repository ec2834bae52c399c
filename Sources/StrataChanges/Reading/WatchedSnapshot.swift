// SPDX-License-Identifier: Apache-2.0

/// A snapshot that counts its reads, and stops a fetch whose task has been cancelled.
///
/// Everything that a fetch reads of the store passes through its snapshot, and the view reports its
/// reads of unsaved changes (`ReadView.watch`). So this is the only check for cancellation,
/// whatever the plan of the fetch is. It cannot interrupt work without reads, as the final sorting
/// of rows.
///
/// ## Isolation
/// One task's; not Sendable.
package final class WatchedSnapshot: SnapshotWrapper {
  package let generation: UInt64
  package let snapshot: any Snapshot
  private let report: (_ readCount: Int) throws -> Void
  package private(set) var readCount = 0

  /// After this number of entries and records the task is checked.
  private static let stride = 256

  /// - Parameter report: called now and then with the number of reads; an error that it throws ends
  ///   the fetch.
  package init(
    _ snapshot: any Snapshot, report: @escaping (_ readCount: Int) throws -> Void
  ) {
    self.snapshot = snapshot
    self.report = report
    generation = snapshot.generation
  }

  /// - Throws: `CancellationError`; the errors of `report`.
  package func noteRead() throws {
    readCount += 1
    guard readCount.isMultiple(of: Self.stride) else { return }
    try Task.checkCancellation()
    try report(readCount)
  }
}
