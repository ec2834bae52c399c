// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord
import Synchronization

/// One context's published changes and the way to its parent: what a child rests on.
///
/// A layer is how contexts see each other. A child reads its ancestors through their layers and
/// never enters their queues; a save hands its changes to the parent's layer and never waits for the
/// parent's turn.
///
/// It names a context to others: it is the subject (`Notification.object`) of the context's
/// notifications, and `ManagedObjectContext(parent: layer)` makes a child. A layer outlives its
/// context as long as a child rests on it.
///
/// ## Invariants
/// - I1 `published` and `inbox` change together with the sender's pointers in one hold of `lock`.
/// - I2 `published` is what the context's own overlay will be after it has landed the inbox.
///
/// ## Isolation
/// Sendable: the pointers are guarded by the coordinator's lock, the rest is constant.
public final class Layer: Sendable {
  /// A child's save on its way into the context that owns this layer.
  package struct Push: Sendable {
    /// What the child saved, complete with respect to the child alone.
    package let segment: Segment
    /// The objects that landing it changes, those that its deletes reach included.
    package let touched: [ObjectKey]

    package init(segment: Segment, touched: [ObjectKey]) {
      self.segment = segment
      self.touched = touched
    }
  }

  /// What the lock guards.
  package struct State: Sendable {
    package var published = Overlay()
    package var inbox: [Push] = []
    /// Counts the changes of `published`, so that a saver sees whether it was overtaken.
    package var revision: UInt64 = 0
  }

  package let lock: LayerLock
  package let parent: Layer?
  package let source: any SnapshotSource

  // Safety: read and written only inside `lock`.
  private nonisolated(unsafe) var state = State()

  /// Tells the context that owns this layer of a push; set once, when the context is made.
  private let arrivalHandler = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameter parent: nil for a layer that rests on the store itself.
  package init(parent: Layer?, lock: LayerLock, source: any SnapshotSource) {
    self.parent = parent
    self.lock = lock
    self.source = source
  }

  package var schema: Schema { source.schema }

  /// The state as it is now.
  package var current: State { lock.withLock { state } }

  /// The layers from this one to the one that rests on the store.
  package var chain: [Layer] { [self] + (parent?.chain ?? []) }

  // MARK: - Reading

  /// The published segments from this layer down to the store, near to far, copied in one hold.
  package func publishedSegments() -> [Segment] {
    let layers = chain
    let overlays = lock.withLock { layers.map { $0.state.published } }
    return overlays.flatMap(\.segments)
  }

  // MARK: - Arrivals

  /// Has `handler` called after each push into this layer, on the saver's thread.
  package func onArrival(_ handler: @escaping @Sendable () -> Void) {
    arrivalHandler.withLock { $0 = handler }
  }

  /// Tells the owner that a push has arrived.
  package func announceArrival() { arrivalHandler.withLock { $0 }?() }

  // MARK: - Swapping pointers

  /// Publishes `overlay` as this context's own, and takes the inbox as landed, unless another change
  /// came first.
  ///
  /// - Returns: false if `revision` is no longer the current one; nothing has changed then.
  package func publish(_ overlay: Overlay, ifStill revision: UInt64) -> Bool {
    lock.withLock {
      guard state.revision == revision else { return false }
      state.published = overlay
      state.inbox = []
      state.revision += 1
      return true
    }
  }

  /// Freezes the segments of `overlay` for a save to the store. A saver who is about to merge them
  /// into others is told by the revision that it was overtaken.
  ///
  /// - Returns: false if that is not what is published, or a push waits; nothing has changed then.
  package func freeze(_ overlay: Overlay) -> Bool {
    lock.withLock {
      guard state.inbox.isEmpty, state.published.isIdentical(to: overlay) else { return false }
      for segment in overlay.segments { segment.freeze() }
      state.revision += 1
      return true
    }
  }

  /// Replaces what is published and what waits: for taking away what the store has.
  package func replace(
    _ overlay: Overlay, inbox: [Push], ifStill revision: UInt64
  ) -> Bool {
    lock.withLock {
      guard state.revision == revision else { return false }
      state.published = overlay
      state.inbox = inbox
      state.revision += 1
      return true
    }
  }

  /// The hand-over of a child's save: this layer shows `composed`, the push waits in the inbox, and
  /// the child's layer is empty, all in one hold.
  ///
  /// - Returns: false if a `revision` is no longer the current one; nothing has changed then.
  package func receive(
    _ push: Push, composed: Overlay, ifStill revision: UInt64, from child: Layer,
    ifStill childRevision: UInt64
  ) -> Bool {
    lock.withLock {
      guard state.revision == revision, child.state.revision == childRevision else { return false }
      state.published = composed
      state.inbox.append(push)
      state.revision += 1
      child.state.published = Overlay()
      child.state.revision += 1
      return true
    }
  }
}

extension Layer: Hashable {
  public static func == (left: Layer, right: Layer) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
