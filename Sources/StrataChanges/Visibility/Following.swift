// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The positions that one context has reached in the feeds of everything beneath it: each
/// ancestor's layer and each store.
///
/// Each view advances the positions to exactly the state that the view shows, and returns the
/// changes since the previous view. A record that was read in an earlier view is valid in this one
/// unless it is named.
///
/// The changes of an ancestor's layer are the events between the bookmarks of two views. The
/// changes of a store are the events up to the snapshot's generation of that store. If the
/// generations have a gap, another process has saved, and the feed has no entry for its save: the
/// snapshot names the objects that it changed. If it does not know them, anything may have changed.
///
/// A commit of an ancestor changes nothing for the contexts beneath it: they saw the changes there.
/// But a view copies the layers first and takes its snapshot later. In between, an ancestor can
/// publish changes and commit them: the snapshot shows them, and the view's bookmarks do not name
/// them yet. Such a view says so (`mayHavePassedBookmarks`). Then the events after its bookmarks
/// are read early, as far as they name committed objects, and again when they are due. By then they
/// may be old news, so the view alone tells whether an object is there
/// (`GatheredEvents.unsettled`).
///
/// ## Invariants
/// - I1 The segments of a view and its bookmarks are of one moment (`ContextLayer.beneath`).
///
/// ## Isolation
/// The context's.
package struct Following {
  /// The context's own layer and its ancestors: their saves are not followed.
  package let chain: [LayerIdentity]
  private let layers: [ContextLayer]
  /// The bookmarks in the ancestors' feeds, near to far.
  private var bookmarks: [ChangeFeed.Bookmark]
  /// The objects that the last view has shown before the events of their changes were due.
  private var shownEarly: [ObjectKey] = []
  /// One for each store of the source.
  private var stores: [StorePosition]

  /// The position in the feed of one store.
  private struct StorePosition {
    let feed: ChangeFeed
    var bookmark: ChangeFeed.Bookmark
    /// The generation of the last view; nil before the first.
    var generation: UInt64?

    init(_ feed: ChangeFeed) { (self.feed, bookmark) = (feed, feed.end) }
  }

  /// Begins to follow: later changes will be reported.
  package init(layer: ContextLayer) {
    let all = layer.chain
    layers = Array(all.dropFirst())
    chain = all.map(\.identity)
    stores = layer.source.feeds.map { StorePosition($0) }
    bookmarks = layer.parent?.published().bookmarks ?? []
  }

  /// Advances to the state of `view`.
  ///
  /// - Returns: the changes since the previous view. Nothing for a view without bookmarks, which
  ///   does not show the present state: the follower keeps its positions.
  package mutating func advance(to view: ReadView) -> GatheredEvents {
    var gathered = GatheredEvents()
    guard let seen = view.bookmarks else { return gathered }
    if bookmarks.count != seen.count {
      // An ancestor was pinned when this follower began.
      gathered.isUnknown = true
      bookmarks = seen
    }
    for index in layers.indices where bookmarks[index] !== seen[index] {
      if PlantedFault.eventsDropped.isPlanted(in: layers[index].schema), index > 0,
        index == layers.count - 1
      {
        bookmarks[index] = seen[index]
        continue
      }
      let events = layers[index].feed.events(from: bookmarks[index], to: seen[index])
      gathered.append(events, of: chain)
      bookmarks[index] = seen[index]
    }
    for place in stores.indices { advance(to: view.snapshot, ofStoreAt: place, &gathered) }
    if !shownEarly.isEmpty {
      gathered.noteShownEarly(shownEarly)
      shownEarly = []
    }
    if view.mayHavePassedBookmarks, !PlantedFault.passedBookmarks.isPlanted(in: view.schema) {
      shownEarly = gathered.append(shownEarly: eventsAfterView())
    }
    return gathered
  }

  /// The events that ancestors' layers have had since the view to which this has advanced.
  private func eventsAfterView() -> GatheredEvents {
    var later = GatheredEvents()
    for (layer, bookmark) in zip(layers, bookmarks) {
      later.append(layer.feed.events(from: bookmark, to: layer.feed.end), of: chain)
    }
    return later
  }

  /// The newest generation of a store that the last view has shown; nil before the first view.
  package func generation(ofStoreAt place: Int) -> UInt64? { stores[place].generation }

  /// Moves on past events of this context's own saves, which tell it nothing.
  ///
  /// - Returns: whether the feeds have nothing else to tell. If they have, a view tells it.
  package mutating func passOwnEvents() -> Bool {
    if bookmarks.count != layers.count { return false }
    for index in layers.indices {
      let end = layers[index].feed.end
      if bookmarks[index] === end { continue }
      guard let events = layers[index].feed.events(from: bookmarks[index], to: end),
        events.allSatisfy({ $0.origin == chain.first && $0.decided.isEmpty })
      else { return false }
      bookmarks[index] = end
    }
    return stores.allSatisfy { $0.feed.end === $0.bookmark }
  }

  /// The state that the last view has shown, for the receiver of a push.
  package var position: SenderPosition {
    SenderPosition(
      bookmarks: Array(bookmarks.dropFirst()), generations: stores.map { $0.generation ?? 0 })
  }

  /// Whether the follower has seen no change after the state of `position`.
  package func isCovered(by position: SenderPosition) -> Bool {
    guard position.bookmarks.count == bookmarks.count,
      zip(stores, position.generations).allSatisfy({ $0.generation ?? 0 <= $1 })
    else { return false }
    return zip(bookmarks, position.bookmarks).allSatisfy { $0.number <= $1.number }
  }

  private mutating func advance(
    to snapshot: any Snapshot, ofStoreAt place: Int, _ gathered: inout GatheredEvents
  ) {
    let reached = snapshot.generation(ofStoreAt: place)
    let generation = stores[place].generation
    if generation == reached { return }
    stores[place].generation = reached
    let feed = stores[place].feed
    guard let events = feed.events(after: &stores[place].bookmark, upTo: reached) else {
      gathered.isUnknown = true
      return
    }
    // Changes that the previous view has shown already are left out.
    let unseen = generation.map { seen in events.filter { $0.generation > seen } } ?? events
    // Before its first view a context has read nothing, and its own saves are in the feed before
    // any other context can have changed them: the count begins at the first entry.
    guard let start = generation ?? unseen.first.map({ $0.generation - 1 }) else { return }
    let all = withGapsFilled(unseen, from: start + 1, in: snapshot, ofStoreAt: place)
    gathered.append(all ?? unseen, of: chain)
    if all == nil { gathered.isUnknown = true }
  }

  /// The events, and between them one for each save of another process.
  ///
  /// - Parameters:
  ///   - events: ascending by generation.
  ///   - first: the first generation that is of interest.
  /// - Returns: nil if the snapshot does not know the objects that a save of another process has
  ///   changed, or cannot read them.
  private func withGapsFilled(
    _ events: [ChangeEvent], from first: UInt64, in snapshot: any Snapshot, ofStoreAt place: Int
  ) -> [ChangeEvent]? {
    var filled: [ChangeEvent] = []
    var next = first
    func fill(upTo last: UInt64) -> Bool {
      if next > last { return true }
      guard let changes = try? snapshot.changedKeys(of: next...last, ofStoreAt: place)
      else { return false }
      for (generation, keys) in zip(next...last, changes) {
        filled.append(ChangeEvent(origin: nil, generation: generation, keys: keys))
      }
      return true
    }
    for event in events {
      guard event.generation >= next, fill(upTo: event.generation - 1) else { return nil }
      filled.append(event)
      next = event.generation + 1
    }
    return fill(upTo: snapshot.generation(ofStoreAt: place)) ? filled : nil
  }
}
