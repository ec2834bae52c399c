// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// A merge that several overlays have in common, and that goes on from one to the next: a step of
/// it is kept even if its maker was overtaken by another saver and its overlay never shown.
///
/// ## Isolation
/// Sendable: the merge is behind a lock, and is outside of it while one thread takes a step.
package final class SharedMerge: Sendable {
  /// Newest first.
  let segments: [Segment]
  private let rest: CountedMutex<SegmentMerge?>
  private let result = SetOnce<Segment>()

  /// - Parameter merge: it is not complete.
  package init(_ merge: SegmentMerge) {
    segments = merge.segments
    rest = CountedMutex(merge)
  }

  /// The merged segment, once it is complete.
  var merged: Segment? { result.load() }

  /// Moves at most `budget` entries, and reduces it by their number. Does nothing if another thread
  /// is at it.
  func advance(_ budget: inout Int) {
    guard budget > 0, var merge = rest.withLock({ $0.take() }) else { return }
    merge.advance(&budget)
    if let merged = merge.merged {
      result.storeIfNil(merged)
    } else {
      rest.withLock { $0 = merge }
    }
  }
}
