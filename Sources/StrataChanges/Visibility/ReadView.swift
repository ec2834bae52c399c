// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The state that one turn reads: a context's own changes, its ancestors' published ones, and the
/// store, all as of one moment.
///
/// ## How it is taken
/// The chain of published segments is copied first, or found unchanged since an earlier view copied
/// it (`KeptBeneath`); then the store's snapshot is taken, then each segment's tag is read, and a
/// segment whose tag the snapshot has reached is left out. If the chain contains a pin, its
/// segments and its snapshot replace the rest. So a save that is on its way from a layer into the
/// store is seen exactly once, whether the snapshot was taken before or after the commit. (Without
/// the tags, 11 of 30 interleavings of a root save, another root's commit and a reader read a
/// mixture.)
///
/// ## Lifetime
/// A turn at most: it holds a snapshot of the store.
///
/// ## Isolation
/// Belongs to the context that took it.
package final class ReadView {
  // Safety: `@exclusivity(unchecked)` spares each look-up a run-time check. A view is of one
  // isolation, and no access to this runs code that could reach the view again.
  /// All pending changes that the view shows: the context's own, then the ancestors', near to far.
  @exclusivity(unchecked)
  package private(set) var layers: Overlay
  private var knownLookUp: PendingLookUp?
  package let snapshot: any Snapshot
  package let schema: Schema

  /// The positions in the feeds of the ancestors, near to far; nil for a view of a past state,
  /// which has no follower.
  package let bookmarks: [ChangeFeed.Bookmark]?

  /// Called for each pending object that a walk reaches; an error that it throws ends the walk.
  /// Reads of the store are reported to the snapshot.
  package var watch: (() throws -> Void)?

  /// Whether an ancestor may have published something after its layer was copied and before the
  /// snapshot was taken. If it was also committed in between, the snapshot shows it and the
  /// bookmarks do not name it.
  package var mayHavePassedBookmarks = false

  /// The ancestors' segments, near to far, without those that the snapshot shows.
  package let inherited: [Segment]
  /// Whether an ancestor has more pending than insertions.
  package let hasInheritedUpdates: Bool

  /// A view of only the store, without unsaved changes.
  package convenience init(of snapshot: any Snapshot, _ schema: Schema) {
    self.init(own: Overlay(), inherited: [], snapshot: snapshot, schema: schema)
  }

  package init(
    own: Overlay, inherited: [Segment], snapshot: any Snapshot, schema: Schema,
    bookmarks: [ChangeFeed.Bookmark]? = nil
  ) {
    self.bookmarks = bookmarks
    layers = Overlay(Self.segments(own.segments, notShownBy: snapshot, schema) + inherited)
    self.inherited = inherited
    hasInheritedUpdates = inherited.contains { !$0.changes.isInsertsOnly }
    self.snapshot = snapshot
    self.schema = schema
  }

  /// Takes `own` as the context's changes from now on: within a turn, drafts are encoded into them.
  package func replaceOwn(_ own: Overlay) {
    knownLookUp = nil
    layers = Overlay(Self.segments(own.segments, notShownBy: snapshot, schema) + inherited)
  }

  /// The same view with other changes of the context's own.
  package func over(_ own: Overlay) -> ReadView {
    ReadView(own: own, inherited: inherited, snapshot: snapshot, schema: schema)
  }

  /// The same view with changes on top of all that it shows.
  package func adding(_ segment: Segment) -> ReadView {
    ReadView(
      own: Overlay([segment] + layers.segments), inherited: [], snapshot: snapshot, schema: schema)
  }

  /// The segments that the snapshot does not show. The context's own are among those that a save
  /// may have taken to the store, before the context has released them.
  static func segments(
    _ segments: [Segment], notShownBy snapshot: any Snapshot, _ schema: Schema
  ) -> [Segment] {
    if PlantedFault.untaggedView.isPlanted(in: schema) { return segments }
    let isEpochForgotten = PlantedFault.forgottenEpoch.isPlanted(in: schema)
    return segments.filter { segment in
      guard let tag = isEpochForgotten ? segment.ownTag : segment.tag else { return true }
      return !snapshot.shows(tag)
    }
  }

  /// Takes a view for the context of `layer`.
  ///
  /// - Parameter own: the context's own changes.
  package static func take(
    own: Overlay, layer: ContextLayer, source: any SnapshotSource
  ) throws -> ReadView {
    try take(own: own, over: layer.beneath(), source: source)
  }

  /// Takes a view on the newest snapshot.
  ///
  /// - Parameter beneath: the state of the layers beneath the context, as of now.
  package static func take(
    own: Overlay, over beneath: ContextLayer.Beneath, source: any SnapshotSource
  ) throws -> ReadView {
    let schema = source.schema
    PausePoint.viewTaken.reach(schema)
    let snapshot = try beneath.pin?.snapshot ?? source.snapshot()
    PausePoint.snapshotTaken.reach(schema)
    return ReadView(
      own: own, inherited: segments(beneath.segments, notShownBy: snapshot, schema),
      snapshot: snapshot, schema: schema, bookmarks: beneath.bookmarks)
  }

  /// Finds the pending changes in `layers`. O(1), the first time O(segments) and, for segments that
  /// no walk has used before, O(changes).
  package var lookUp: PendingLookUp {
    if let knownLookUp { return knownLookUp }
    let lookUp = PendingLookUp(layers)
    knownLookUp = lookUp
    return lookUp
  }

  // MARK: - One object

  /// The object's record in this view, and the generation of the store's record that it goes back
  /// to (0 for an object that the store does not have); nil if it is deleted or not there.
  package func record(of key: ObjectKey) throws -> StoredRecord? {
    if !layers.segments.isEmpty, let change = change(for: key) {
      guard let record = change.record else { return nil }
      return StoredRecord(record: record, generation: change.base?.generation ?? 0)
    }
    return try snapshot.record(for: key)
  }

  /// Whether the object is there: not deleted, and known to a layer or the store.
  package func exists(_ key: ObjectKey) throws -> Bool {
    if let change = change(for: key) { return change.kind != .delete }
    return try snapshot.contains(key)
  }

  /// The nearest pending change of `key`, or nil. If there is one, the store's entries for the
  /// object are stale.
  package func change(for key: ObjectKey) -> Change? {
    layers.isEmpty ? nil : layers.change(for: key)
  }
}
