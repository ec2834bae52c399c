// SPDX-License-Identifier: Apache-2.0

/// What a context has saved inside a turn of its parent that is under way.
///
/// It is in the parent's working overlay, where the parent and whoever runs inside its turn see it.
/// The parent publishes it when the turn ends, not before, for half of a turn is never visible. Those
/// who rest on the child, and the child itself when it is entered from elsewhere, have seen the
/// changes already and must not miss them meanwhile: so the child's layer goes on showing them, above
/// what the parent has published, and lets go of them in the same hold of the lock in which the
/// parent publishes.
///
/// ```
///   grandchild's view:  child's published, handed up │ parent's published, …
///   child's view:                 working, handed up │ parent's published, …
///   within the turn:              working            │ parent's working, …
/// ```
///
/// A child that saves again from elsewhere while the turn is under way comes after what it handed up:
/// the push waits in the parent's inbox, is handed up too, and is published with the turn.
///
/// ## Invariants
/// - I1 What is handed up is in the parent's working overlay or in its inbox, and not in its published
///   overlay, unless it `hasLanded`.
/// - I2 It `hasLanded` only under a pin of the child, which was taken before and does not show what the
///   parent has published since.
package struct HandedUp: Sendable {
  package var overlay = Overlay()
  /// Whether the parent has published it.
  package var hasLanded = false

  /// Whether the parent still owes its publication.
  package var isOwed: Bool { !overlay.isEmpty && !hasLanded }

  /// More segments than these are merged. Not each time: then a save would cost as much again.
  private static let segmentCountMax = 16

  /// With `published`, which is being saved, on top. Merges segments: not under the lock.
  fileprivate func adding(_ published: Overlay) -> HandedUp {
    let all = Overlay(published.segments + (hasLanded ? [] : overlay.segments))
    return HandedUp(
      overlay: all.segments.count > Self.segmentCountMax ? all.compacted() : all)
  }
}

extension Layer.State {
  /// Lets go of what is published, for the turn of `parent` under way, and goes on showing it. The
  /// parent publishes it in its present era: a save of its own publishes before it ends that.
  fileprivate mutating func handUp(_ all: HandedUp, to parent: Layer.State) {
    all.overlay.join(parent.era)
    endEra(in: parent.era)
    handedUp = all
    published = Overlay()
    pin = nil
    revision += 1
  }

  /// The parent has published what was handed up.
  ///
  /// - Returns: what is not needed any more, to be freed outside of the lock.
  mutating func landHandedUp() -> Overlay {
    guard handedUp.isOwed else { return Overlay() }
    revision += 1
    if pin != nil {
      handedUp.hasLanded = true
      return Overlay()
    }
    let retired = handedUp.overlay
    handedUp = HandedUp()
    return retired
  }
}

extension Layer {
  /// The child's side of a save inside the turn of `parent`: what is published is handed up.
  ///
  /// - Returns: false if `revision` is no longer the current one, or a push waits; nothing has changed
  ///   then.
  package func handUp(to parent: Layer, ifStill revision: UInt64) -> Bool {
    let before = current
    defer { withExtendedLifetime(before) {} }
    guard before.revision == revision, before.inbox.isEmpty else { return false }
    let handedUp = before.handedUp.adding(before.published)
    return lock.withLock {
      guard state.revision == revision else { return false }
      state.handUp(handedUp, to: parent.state)
      return true
    }
  }

  /// The hand-over of a save by a child that has handed something up into the turn under way: the push
  /// waits in the inbox, and the child goes on showing it.
  ///
  /// - Returns: false if `childRevision` is no longer the current one; nothing has changed then.
  package func receive(
    afterTurn push: Push, from child: Layer, ifStill childRevision: UInt64
  ) -> Bool {
    let before = child.current
    defer { withExtendedLifetime(before) {} }
    guard before.revision == childRevision else { return false }
    let handedUp = before.handedUp.adding(before.published)
    return lock.withLock {
      guard child.state.revision == childRevision else { return false }
      state.inbox.append(push)
      state.revision += 1
      child.state.handUp(handedUp, to: state)
      return true
    }
  }

  /// Takes the first `count` pushes as landed, within the turn under way.
  package func removeFirstPushes(_ count: Int) {
    let before = current
    defer { withExtendedLifetime(before) {} }
    lock.withLock {
      state.inbox.removeFirst(count)
      state.revision += 1
    }
  }
}
