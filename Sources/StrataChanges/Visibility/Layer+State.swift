// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension Layer {
  /// What the lock guards: the states of a layer and the transitions between them, as the table over
  /// `Layer` has them. Each happens in one hold of the lock.
  package struct State: Sendable {
    package private(set) var published = Overlay()
    package private(set) var inbox: [Push] = []
    /// What is read beneath the context instead of the newest state, if it is pinned.
    package private(set) var pin: Pin?
    /// Counts the changes of `published`, so that a saver sees whether it was overtaken.
    package private(set) var revision: UInt64 = 0
    /// The era of what the layer shows.
    private var era = Era()
    /// The era of the save under way.
    private(set) var frozenEra: Era?
  }
}

extension Layer.State {
  /// The context's turn has ended, and with it the inbox has landed.
  ///
  /// - Parameter repeatingInbox: keeps what has landed, as a planted fault.
  mutating func publish(_ overlay: Overlay, repeatingInbox: Bool) {
    // Not for ever: a save waits until nothing is to land.
    inbox = repeatingInbox ? inbox.filter { $0.repeatCount < 20 } : []
    for index in inbox.indices { inbox[index].repeatCount += 1 }
    show(overlay)
    overlay.checkInvariants()
  }

  /// A child has saved.
  mutating func receive(_ push: Layer.Push, composed: Overlay) {
    inbox.append(push)
    show(composed)
  }

  /// The context has saved to its parent: what it showed goes on in the parent's era.
  mutating func handOver(to parent: Layer.State) {
    era.end(in: parent.era)
    era = Era()
    pin = nil
    show(Overlay())
  }

  /// The context saves to the store: what is shown is on its way, and an era begins for what comes on
  /// top.
  ///
  /// - Returns: false if `overlay` is not what is published, or a push waits.
  mutating func freeze(_ overlay: Overlay) -> Bool {
    guard inbox.isEmpty, published.isIdentical(to: overlay) else { return false }
    for segment in overlay.segments { segment.freeze() }
    frozenEra = era
    era = Era()
    revision += 1
    checkInvariants()
    return true
  }

  /// The save has failed: its era goes on, with all that has come on top meanwhile.
  mutating func unfreeze(_ segments: [Segment]) {
    for segment in segments { segment.unfreeze() }
    guard let frozen = frozenEra else { return }
    era.end(in: frozen)
    era = frozen
    frozenEra = nil
    checkInvariants()
  }

  /// The commit has succeeded.
  ///
  /// - Parameter overlay: what it has left, without the segments that the store has.
  mutating func replace(_ overlay: Overlay, inbox: [Layer.Push]) {
    frozenEra = nil
    self.inbox = inbox
    pin = nil
    show(overlay)
  }

  /// The context reads `pin` from now on, or the newest state.
  mutating func setPin(_ pin: Pin?) {
    self.pin = pin
    revision += 1
  }

  /// Shows `overlay` in the present era.
  private mutating func show(_ overlay: Overlay) {
    overlay.join(era)
    published = overlay
    revision += 1
    checkInvariants()
  }
}
