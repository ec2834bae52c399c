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
    /// The changes that pass the layer on their way to the store.
    private(set) var passages: [ContextLayer.Passage] = []
    /// The passage that is saved on top of the frozen changes. An identity is copied for less.
    private var frozenPassage: ObjectIdentifier?
    /// Whether the store has the frozen changes, with that passage on top of them.
    private(set) var isFrozenStored = false
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

  /// Lets changes from below pass, which were composed onto `overlay`.
  ///
  /// - Returns: false if `overlay` is not the published one, or a push waits.
  mutating func pass(_ passage: ContextLayer.Passage, over overlay: Overlay) -> Bool {
    guard inbox.isEmpty, published.isIdentical(to: overlay) else { return false }
    passages.append(passage)
    revision += 1
    return true
  }

  /// The store has decided on a passage.
  ///
  /// - Parameter isStored: whether it has the changes.
  mutating func end(_ passage: ContextLayer.Passage, isStored: Bool) {
    passages.removeAll { $0 === passage }
    if isStored, frozenPassage == ObjectIdentifier(passage) { isFrozenStored = true }
    revision += 1
  }

  /// Begins a save to the store: the published changes are frozen, and an epoch begins for later
  /// changes.
  ///
  /// - Parameter passage: the changes from below that are saved with them; nil for none.
  /// - Returns: false if `overlay` is not the published one, or a push waits.
  mutating func freeze(_ overlay: Overlay, passing passage: ContextLayer.Passage?) -> Bool {
    guard inbox.isEmpty, published.isIdentical(to: overlay) else { return false }
    if let passage { passages.append(passage) }
    frozenPassage = passage.map { ObjectIdentifier($0) }
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
    (frozenEpoch, frozenPassage) = (nil, nil)
    checkInvariants()
  }

  /// Ends a successful save.
  ///
  /// - Parameter overlay: the remaining changes, without the segments that the store has.
  mutating func replace(_ overlay: Overlay, inbox: Inbox) {
    (frozenEpoch, frozenPassage, isFrozenStored) = (nil, nil, false)
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
