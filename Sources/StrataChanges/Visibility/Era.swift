// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// A layer's lifetime between two hand-overs. Everything that the layer shows in one era moves on
/// together: into the store with one commit, or into the parent's layer with one push, and then
/// with the parent layer's era.
///
/// A reader copies segments and takes its snapshot later. In between, the layer may merge the
/// copied segments with newer changes, or push them up, and the result may reach the store. The
/// snapshot then has the content of the copied segments, or newer content, but the writer was
/// handed other segments. The writer tags the era of the copied segments, too. Without that tag the
/// reader would lay an older state of some objects over a newer state of all.
///
/// ```
///   child   ──era──┐ push                    a segment's tag is its own,
///   root    ──era──┴──────┐ save  ──era──    or its era's, or that of the era in which it went on
///   store                 └ commit: tagged
/// ```
///
/// ## Invariants
/// - I1 The tag is set and cleared like a segment's tag: while the store's write lock is held.
/// - I2 An era ends once, in the critical section of the layer lock in which its layer hands over.
/// - I3 A segment belongs to the era in which it was first shown.
///
/// ## Isolation
/// Sendable: all state is atomic.
package final class Era: Sendable {
  private let tagged = Atomic<UInt64>(0)
  private let next = SetOnce<Era>()

  package init() {}

  /// The era in which this one has gone on so far: itself, as long as it has not ended.
  private var last: Era {
    var era = self
    while let next = era.next.load() { era = next }
    return era
  }

  /// The generation at which the store has the changes that were shown in this era; nil if it does
  /// not have them.
  package var tag: UInt64? {
    let tag = last.tagged.load(ordering: .acquiring)
    return tag == 0 ? nil : tag
  }

  func setTag(_ generation: UInt64) { last.tagged.store(generation, ordering: .releasing) }

  func clearTag() { last.tagged.store(0, ordering: .releasing) }

  /// Ends this era: its changes move on to `other`.
  func end(in other: Era) { next.storeIfNil(other) }
}

extension Overlay {
  /// Has the segments that were never shown before belong to `era`.
  func join(_ era: Era) {
    for segment in segments { segment.join(era) }
  }
}
