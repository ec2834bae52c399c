// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// A layer's lifetime between two hand-overs. Everything that the layer shows in one epoch moves on
/// together: into the store with one commit, or into the parent's layer with one push, and then
/// with the parent layer's epoch.
///
/// A reader copies segments and takes its snapshot later. In between, the layer may merge the
/// copied segments with newer changes, or push them up, and the result may reach the store. The
/// snapshot then has the content of the copied segments, or newer content, but the writer was
/// handed other segments. The writer tags the epoch of the copied segments, too. Without that tag
/// the reader would lay an older state of some objects over a newer state of all.
///
/// ```
///   child   ──epoch──┐ push                      a segment's tag is its own, or its epoch's,
///   root    ──epoch──┴──────┐ save  ──epoch──    or the tag of the epoch that its epoch ended in
///   store                   └ commit: tagged
/// ```
///
/// ## Invariants
/// - I1 The tag is set and cleared like a segment's tag: while the store's write lock is held.
/// - I2 An epoch ends once, in the critical section of the layer lock in which its layer hands
///   over.
/// - I3 A segment belongs to the epoch in which it was first shown.
///
/// ## Isolation
/// Sendable: all state is atomic.
package final class Epoch: Sendable {
  private let tagged = Atomic<UInt64>(0)
  private let next = SetOnce<Epoch>()

  package init() {}

  /// The epoch in which this one has gone on so far: itself, as long as it has not ended.
  private var last: Epoch {
    var epoch = self
    while let next = epoch.next.load() { epoch = next }
    return epoch
  }

  /// The tag of the commit by which the store has the changes that were shown in this epoch; nil if
  /// it does not have them.
  package var tag: UInt64? {
    let tag = last.tagged.load(ordering: .acquiring)
    return tag == 0 ? nil : tag
  }

  func setTag(_ tag: UInt64) { last.tagged.store(tag, ordering: .releasing) }

  func clearTag() { last.tagged.store(0, ordering: .releasing) }

  /// Ends this epoch: its changes move on to `other`.
  func end(in other: Epoch) { next.storeIfNil(other) }
}

extension Overlay {
  /// Assigns the segments that were never shown before to `epoch`.
  func join(_ epoch: Epoch) {
    for segment in segments { segment.join(epoch) }
  }
}
