// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The connection between a batch that the writer executes and its caller.
///
/// ## Isolation
/// Sendable: cancelled on any thread, read on the writer's.
package final class BatchWatch: Sendable {
  private let isCancelled = Atomic(false)
  private let report: (@Sendable (_ completedCount: Int, _ objectCount: Int) -> Void)?

  /// After this number of objects the writer checks for cancellation.
  package static let stride = 256

  /// - Parameter report: called on the writer's thread with the number of finished objects and the
  ///   number of objects known so far.
  package init(
    report: (@Sendable (_ completedCount: Int, _ objectCount: Int) -> Void)? = nil
  ) {
    self.report = report
  }

  /// Ends the batch without any effect, unless it is about to be committed.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError`.
  package func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }

  package func tell(_ completedCount: Int, of objectCount: Int) {
    report?(completedCount, objectCount)
  }
}
