// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ContextLayer {
  /// The state that the lock guards, and its transitions, as in the table of `ContextLayer`. Each
  /// transition happens in one critical section.
  package struct State: Sendable {
    package private(set) var published = Overlay()
    package private(set) var inbox = Inbox()
    /// The pinned state that is read beneath the context instead of the newest state; nil if there
    /// is none.
    package private(set) var pin: Pin?
    /// Counts the changes of `published`, so that a saver sees whether it was overtaken.
    package private(set) var revision: UInt64 = 0
    /// The epoch of the changes that the layer shows.
    private var epoch = Epoch()
    /// The epoch of the save under way.
    private(set) var frozenEpoch: Epoch?
  }
}

extension ContextLayer.State {
  /// Ends the context's turn, which has taken over the inbox.
  ///
  /// - Parameter repeatingInbox: keeps the inbox, as a planted fault.
  mutating func publish(_ overlay: Overlay, repeatingInbox: Bool) {
    // Not for ever: a save waits until the inbox is empty.
    var repeated = repeatingInbox ? inbox.dropFirst(0).filter { $0.repeatCount < 20 } : []
    for index in repeated.indices { repeated[index].repeatCount += 1 }
    inbox = Inbox(repeated)
    show(overlay)
    overlay.checkInvariants()
  }

  /// A child has saved.
  mutating func receive(_ push: ContextLayer.Push, composed: Overlay) {
    inbox.append(push)
    show(composed)
  }

  /// Records that the context has saved to its parent: its changes move on in the parent's epoch.
  mutating func handOver(to parent: ContextLayer.State) {
    epoch.end(in: parent.epoch)
    epoch = Epoch()
    pin = nil
    show(Overlay())
  }

  /// Begins a save to the store: the published changes are frozen, and an epoch begins for later
  /// changes.
  ///
  /// - Returns: false if `overlay` is not the published one, or a push waits.
  mutating func freeze(_ overlay: Overlay) -> Bool {
    guard inbox.isEmpty, published.isIdentical(to: overlay) else { return false }
    for segment in overlay.segments { segment.freeze() }
    frozenEpoch = epoch
    epoch = Epoch()
    revision += 1
    checkInvariants()
    return true
  }

  /// Ends a failed save: its epoch goes on, with all later changes.
  mutating func unfreeze(_ segments: [Segment]) {
    for segment in segments { segment.unfreeze() }
    guard let frozen = frozenEpoch else { return }
    epoch.end(in: frozen)
    epoch = frozen
    frozenEpoch = nil
    checkInvariants()
  }

  /// Ends a successful save.
  ///
  /// - Parameter overlay: the remaining changes, without the segments that the store has.
  mutating func replace(_ overlay: Overlay, inbox: Inbox) {
    frozenEpoch = nil
    self.inbox = inbox
    pin = nil
    show(overlay)
  }

  /// The context reads `pin` from now on, or the newest state.
  mutating func setPin(_ pin: Pin?) {
    self.pin = pin
    revision += 1
  }

  /// Shows `overlay` in the present epoch.
  private mutating func show(_ overlay: Overlay) {
    overlay.join(epoch)
    published = overlay
    revision += 1
    checkInvariants()
  }
}
