// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
package import StrataRecord
import Synchronization

/// One context's published changes and the way to its parent. Children read their ancestors through
/// it.
///
/// A layer makes contexts visible to each other. A child reads its ancestors through their layers
/// and never enters their queues; a save hands its changes to the parent's layer and never waits
/// for the parent's turn.
///
/// It identifies a context to others: it is the subject (`Notification.object`) of the context's
/// notifications, and `ManagedObjectContext(parent: layer)` makes a child. A layer outlives its
/// context as long as it has children.
///
/// ## States
/// A layer has four parts, which change independently of each other. Each transition is a method
/// of `State`, and happens in one critical section of `lock`.
///
/// | part | state | event | next state |
/// | --- | --- | --- | --- |
/// | changes | published | the context's turn ends: `publish` | published, the inbox empty |
/// | | published | a child saves: `receive` | published, the push on top and in the inbox |
/// | | published | the context saves to its parent: the parent's `receive` | nothing published |
/// | save | none | the context saves to the store: `freeze` | the published segments are frozen |
/// | | frozen | the commit fails: `unfreeze` | none; the segments are unsaved again |
/// | | frozen | the commit succeeds: `replace` | none; the segments are gone |
/// | passages | some | a save of contexts below comes through: `pass`, `freeze` | one more |
/// | | some | the store has decided on it: `end` | one less |
/// | pin | none, or pinned | `pin`, `setPin` | pinned, or none |
/// | | pinned | the context saves: `receive`, `replace` | none; the context takes a new one |
///
/// ## Invariants
/// - I1 `published` and `inbox` change together with the sender's pointers in one critical section
///   of `lock`: `InterleavingTests` show the consequences of two sections.
/// - I2 `published` equals the context's own overlay after it has taken over the inbox: the nesting
///   oracle compares the values that others read with those that the context shows.
/// - I3 Segments are frozen only while a save of the layer's context to the store is under way.
/// - I4 Each transition that changes a reader's copy, or the inbox, makes a new revision, which
///   `revision` shows before the critical section ends: `KeptBeneath` relies on it.
///
/// `State` checks I3 at the end of each transition.
///
/// ## Isolation
/// Sendable: the pointers are guarded by the coordinator's lock, `revision` is atomic, the rest is
/// constant.
public final class ContextLayer: Sendable {
  package let lock: LayerLock
  // Safety: constant until `deinit`. `@exclusivity(unchecked)` spares readers run-time checks.
  @exclusivity(unchecked)
  private nonisolated(unsafe) var parentLayer: ContextLayer?
  package let source: any SnapshotSource
  /// The origin that others give for this layer's events.
  package let identity = LayerIdentity()
  /// The changes of `published`: appended to in the same critical section.
  package let feed = ChangeFeed()
  /// Lets a child's save that others overtake again and again go first.
  package let gate = HandOverGate()

  // Safety: read and written only inside `lock`.
  nonisolated(unsafe) private(set) var state = State()
  /// `state.revision`, for those that have not taken the lock.
  private let shownRevision = Atomic<UInt64>(0)

  /// Whether the layer's context is deallocated, and whether an observer waits for that.
  private let contextGone = Atomic(false)
  private let listening = Atomic(false)

  private let automatic = Atomic(false)

  /// The address of the task whose section of an actor's code runs in the layer's context; 0 if
  /// none runs, or its work is published.
  let sectionTask = Atomic<UInt>(0)

  /// The ways to the context that owns this layer, each set once, if there is one.
  struct Owner: Sendable {
    /// Tells it of a push.
    var noteArrival: (@Sendable () -> Void)?
    /// Gives an object that keeps it alive.
    var keeper: (@Sendable () -> Keeper?)?
    /// Waits for the section that the calling task has left.
    var passSection: (@Sendable () -> Void)?
  }

  let owner = CountedMutex(Owner())

  /// - Parameter parent: nil for a layer that rests on the store itself.
  package init(parent: ContextLayer?, lock: LayerLock, source: any SnapshotSource) {
    parentLayer = parent
    self.lock = lock
    self.source = source
  }

  // One after the other: a long chain would overflow the stack.
  deinit {
    var rest = parentLayer.take()
    while isKnownUniquelyReferenced(&rest), let layer = rest { rest = layer.parentLayer.take() }
  }

  /// The layer beneath; nil for a layer that rests on the store itself.
  package var parent: ContextLayer? { parentLayer }

  package var schema: Schema { source.schema }

  /// The state as it is now.
  package var current: State { lock.withLock { state } }

  /// Counts the changes of the state, as `State.revision` does. One atomic load, without the lock.
  ///
  /// A thread that finds a revision again knows that the state has not changed in between; the
  /// revision says nothing about the content of a newer state, which only the lock shows.
  ///
  /// Sequentially consistent, as the store of it in `change`, because of the flags that others set
  /// after a transition and that a turn clears before it compares revisions
  /// (`ContextQueue.hasArrivals`, `MergeTrigger`). Either the turn finds the new revision, or the
  /// flag is set after it was cleared, and another turn follows. With only acquiring and releasing,
  /// the load could come before the clearing, and the news would wait for a later turn.
  package var revision: UInt64 { shownRevision.load(ordering: .sequentiallyConsistent) }

  /// The revision, if no child's save waits in the inbox; nil if one waits.
  package var revisionWithEmptyInbox: UInt64? {
    lock.withLock { state.inbox.isEmpty ? state.revision : nil }
  }

  /// The layers from this one to the one that rests on the store.
  package var chain: [ContextLayer] {
    var chain = [self]
    var next = parent
    while let layer = next {
      chain.append(layer)
      next = layer.parent
    }
    return chain
  }

  // MARK: - Arrivals

  /// Has `handler` called after each push into this layer, on the saver's thread.
  package func onArrival(_ handler: @escaping @Sendable () -> Void) {
    owner.withLock { $0.noteArrival = handler }
  }

  /// Tells the owner that a push has arrived.
  package func announceArrival() { owner.withLock { $0 }.noteArrival?() }

  // MARK: - Listening

  /// Whether the context that owned this layer is gone; children may still rest on it.
  package var isContextGone: Bool { contextGone.load(ordering: .sequentiallyConsistent) }

  package func noteContextGone() { contextGone.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the layer's context merges its ancestors' and the store's changes automatically.
  package var mergesAutomatically: Bool {
    get { automatic.load(ordering: .sequentiallyConsistent) }
    set { automatic.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Whether an observer waits for the deallocation of the context.
  package var hasListeners: Bool { listening.load(ordering: .sequentiallyConsistent) }

  package func noteListener() { listening.store(true, ordering: .sequentiallyConsistent) }

  // MARK: - Transitions

  /// Changes the state, inside `lock`, and shows its revision to those that do not take the lock.
  ///
  /// The revision is stored before the lock is released. So a thread that knows that a save has
  /// returned finds the revision of that save or a later one.
  private func change<Result>(_ transition: (inout State) -> Result) -> Result {
    defer { shownRevision.store(state.revision, ordering: .sequentiallyConsistent) }
    return transition(&state)
  }

  /// Makes a transition in one critical section, unless another change came first. References that
  /// only the former state held are released after it.
  ///
  /// - Parameters:
  ///   - event: the changes for the contexts beneath which this layer is; nil if there are none.
  ///   - transition: returns false if the transition is impossible; then nothing has changed.
  /// - Returns: false if `revision` is no longer the current one, or `transition` returned false.
  func transit(
    ifStill revision: UInt64, telling event: ChangeEvent?, _ transition: (inout State) -> Bool
  ) -> Bool {
    var retired: State?
    defer { withExtendedLifetime(retired) {} }
    let (isDone, entry) = lock.withLock { () -> (Bool, ChangeFeed.Entry?) in
      guard state.revision == revision else { return (false, nil) }
      retired = state
      guard change(transition) else { return (false, nil) }
      return (true, event.flatMap(feed.append))
    }
    if isDone, let event { feed.tell(event) }
    return withExtendedLifetime(entry) { isDone }
  }

  /// The events of publishing `new` instead of `old`; nil if there are none.
  package func event(from old: Overlay, to new: Overlay) -> ChangeEvent? {
    guard feed.isFollowed else { return ChangeEvent(origin: nil, keys: nil) }
    let difference = OverlayDifference(from: old, to: new)
    let keys = difference.all
    if keys.isEmpty && difference.rebased.isEmpty { return nil }
    return ChangeEvent(
      origin: nil, keys: keys, decided: difference.rebased,
      uncovered: difference.reverted.updated)
  }

  /// Publishes `overlay` as this context's own, and takes the inbox as integrated, unless another
  /// change came first.
  ///
  /// - Returns: false if `revision` is no longer the current one; nothing has changed then.
  package func publish(
    _ overlay: Overlay, ifStill revision: UInt64, event: ChangeEvent? = nil
  ) -> Bool {
    let isRepeated = PlantedFault.integratedTwice.isPlanted(in: schema)
    return transit(ifStill: revision, telling: event) {
      $0.publish(overlay, repeatingInbox: isRepeated)
      return true
    }
  }

  /// Freezes the segments of `overlay` for a save to the store. A saver that is about to merge them
  /// into others finds out by the revision that it was overtaken.
  ///
  /// - Parameter passage: the changes from below that are saved with them; nil for none.
  /// - Returns: false if `overlay` is not the published one, or a push waits; nothing has changed
  ///   then.
  package func freeze(_ overlay: Overlay, passing passage: Passage? = nil) -> Bool {
    lock.withLock { change { $0.freeze(overlay, passing: passage) } }
  }

  /// Lets changes from below pass that were composed onto `overlay`.
  ///
  /// - Returns: false if `overlay` is not the published one, or a push waits; nothing has changed
  ///   then.
  package func pass(_ passage: Passage, over overlay: Overlay) -> Bool {
    lock.withLock { change { $0.pass(passage, over: overlay) } }
  }

  /// The store has decided on a passage.
  ///
  /// - Parameter isStored: whether it has the changes.
  func end(_ passage: Passage, isStored: Bool) {
    lock.withLock { change { $0.end(passage, isStored: isStored) } }
  }

  /// Takes back the freezing of `segments`: the save has failed.
  package func unfreeze(_ segments: [Segment]) {
    lock.withLock { change { $0.unfreeze(segments) } }
  }

  /// Replaces the published changes and the inbox, to remove the changes that the store has. A pin
  /// is removed, because it does not show them; the context takes a new one.
  ///
  /// - Parameters:
  ///   - beneath: the state beneath the context, on which the event rests; nil for the store's.
  ///   - event: the store's decisions that differ from the saved values, and changes beneath that
  ///     show through; nil if there are none.
  /// - Returns: false if `revision` is no longer the current one, or an ancestor has published
  ///   changes since; nothing has changed then.
  package func replace(
    _ overlay: Overlay, inbox: Inbox, ifStill revision: UInt64, on beneath: Beneath? = nil,
    event: ChangeEvent? = nil
  ) -> Bool {
    transit(ifStill: revision, telling: event) {
      if let beneath, !isStill(beneath) { return false }
      $0.replace(overlay, inbox: inbox)
      return true
    }
  }

  /// The hand-over of a child's save: this layer shows `composed`, the push waits in the inbox, and
  /// the child's layer is empty, all in one hold. A pin of the child goes, because it does not show
  /// the push; the child takes a new one.
  ///
  /// - Returns: false if a `revision` is no longer the current one; nothing has changed then.
  package func receive(
    _ push: Push, composed: Overlay, ifStill revision: UInt64, from child: ContextLayer,
    ifStill childRevision: UInt64, event: ChangeEvent
  ) -> Bool {
    let isInTwoHolds = PlantedFault.lockPerLayer.isPlanted(in: schema)
    // Nothing is freed under the lock.
    var retired: State?
    defer { withExtendedLifetime(retired) {} }
    let isDone = transit(ifStill: revision, telling: event) {
      guard child.state.revision == childRevision else { return false }
      retired = child.state
      $0.receive(push, composed: composed)
      if !isInTwoHolds { child.handOver(to: $0) }
      return true
    }
    if isInTwoHolds, isDone {
      PausePoint.betweenHolds.reach(schema)
      lock.withLock { child.handOver(to: state) }
    }
    return isDone
  }

  /// The changes have moved on to a parent in this state. Inside `lock`.
  private func handOver(to parent: State) { change { $0.handOver(to: parent) } }
}

extension ContextLayer: Hashable {
  public static func == (left: ContextLayer, right: ContextLayer) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
