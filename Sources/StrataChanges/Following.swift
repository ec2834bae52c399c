// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// How far a view has come in the feed of one ancestor's layer.
package struct LayerSight: Sendable {
  package let mark: ChangeFeed.Mark
  /// What the layer had published there, copied in the same hold of the layers' lock.
  package fileprivate(set) var published: Overlay
  /// What the view shows instead, if it was taken within the ancestor's own turn: the ancestor's
  /// working overlay, of which its feed does not know yet.
  package fileprivate(set) var working: Overlay?

  package init(mark: ChangeFeed.Mark, published: Overlay, working: Overlay? = nil) {
    self.mark = mark
    self.published = published
    self.working = working
  }
}

/// What a follower learns between two views.
package struct GatheredNews: Sendable {
  /// Oldest first, feed by feed.
  package private(set) var keys: [ChangedKeys] = []
  /// Objects to be looked at: they may have changed.
  package private(set) var suspects: [ObjectKey] = []
  /// What ancestors have committed: it reads as before, and has the commit's generation now.
  package private(set) var committed: [(keys: ChangedKeys, generation: UInt64)] = []
  /// Anything may have changed.
  package var isUnknown = false

  package init() {}

  package init(_ keys: ChangedKeys) { self.keys = [keys] }

  package init(suspects: some Sequence<ObjectKey>) { self.suspects = Array(suspects) }

  /// Whether there is nothing to merge.
  package var isEmpty: Bool { keys.isEmpty && suspects.isEmpty && !isUnknown }

  package mutating func append(_ other: GatheredNews) {
    keys += other.keys
    suspects += other.suspects
    isUnknown = isUnknown || other.isUnknown
  }

  fileprivate mutating func append(_ news: [News]?, of chain: [LayerIdentity]) {
    guard let news else {
      isUnknown = true
      return
    }
    for entry in news {
      suspects += entry.decided
      guard let keys = entry.keys else {
        isUnknown = true
        continue
      }
      if let origin = entry.origin, chain.contains(origin) {
        // What it has committed itself, a context knows.
        let isAncestors = entry.generation > 0 && origin != chain.first
        if isAncestors { committed.append((keys, entry.generation)) }
      } else if !keys.isEmpty {
        self.keys.append(keys)
      }
    }
  }

  fileprivate mutating func append(
    _ difference: OverlayDifference, without pushed: Set<ObjectKey>
  ) {
    var changed = difference.changed
    if !pushed.isEmpty {
      let isOwn = { (key: ObjectKey) in pushed.contains(key) }
      suspects += pushed
      changed.inserted.removeAll(where: isOwn)
      changed.updated.removeAll(where: isOwn)
      changed.deleted.removeAll(where: isOwn)
    }
    if !changed.isEmpty { keys.append(changed) }
    let reverted = difference.reverted
    suspects += reverted.inserted + reverted.updated + reverted.deleted + difference.rebased
  }
}

/// How far one context has followed the feeds of everything that it rests on: each ancestor's layer
/// and the store.
///
/// With each view it moves on to exactly what that view shows, and tells what has changed since the
/// one before. So a record that was read in an earlier view is good in this one unless it is named.
///
/// | the view before | this view | an ancestor's changes are |
/// | --- | --- | --- |
/// | published | published | the news between the two marks |
/// | published | working | those, and the difference of working and published |
/// | working | either | the difference of the two overlays |
///
/// Of the store, the news up to the snapshot's generation. If those do not count up without a gap,
/// somebody wrote whose feed this is not: another process. Then anything may have changed.
///
/// ## Invariants
/// - I1 What a view shows and the marks of its sights are of one moment (`Layer.beneath`).
///
/// ## Isolation
/// The context's.
package struct Following {
  /// The context's own layer and its ancestors: their saves are no news.
  package let chain: [LayerIdentity]
  private let layers: [Layer]
  private let feed: ChangeFeed
  private var sights: [LayerSight]
  private var mark: ChangeFeed.Mark
  /// Of the last view; nil before the first.
  private var generation: UInt64?
  /// What the context itself has put into an ancestor's working overlay since the last view.
  private var pushed: Set<ObjectKey> = []

  /// Begins to follow: what happens from now on will be told.
  package init(layer: Layer) {
    layers = layer.parent?.chain ?? []
    chain = layer.chain.map(\.identity)
    feed = layer.source.feed
    mark = feed.end
    sights = Self.kept(layer.parent?.published().sights ?? [])
  }

  /// Moves on to what `view` shows.
  ///
  /// - Returns: what has changed since the view before. Nothing for a view without sights, which is
  ///   none of the present: the follower stays where it was.
  package mutating func advance(to view: ReadView) -> GatheredNews {
    var gathered = GatheredNews()
    guard let seen = view.sights else { return gathered }
    let hasMoved = layers.indices.contains { index in
      sights[index].mark !== seen[index].mark || sights[index].working != nil
        || seen[index].working != nil
    }
    if hasMoved {
      for index in layers.indices {
        advance(sights[index], to: seen[index], in: layers[index], &gathered)
      }
      sights = Self.kept(seen)
      pushed = []
    }
    advance(to: view.snapshot.generation, &gathered)
    return gathered
  }

  /// Notes a save of the context itself into the working overlay of a parent in whose turn it runs:
  /// no news, though the overlay differs.
  package mutating func notePush(_ segment: Segment) { pushed.formUnion(segment.changes.keys) }

  private func advance(
    _ old: LayerSight, to new: LayerSight, in layer: Layer, _ gathered: inout GatheredNews
  ) {
    if let working = old.working {
      gathered.append(
        OverlayDifference(from: working, to: new.working ?? new.published), without: pushed)
      return
    }
    if old.mark !== new.mark {
      gathered.append(layer.feed.news(from: old.mark, to: new.mark), of: chain)
    }
    if let working = new.working {
      gathered.append(OverlayDifference(from: new.published, to: working), without: pushed)
    }
  }

  private mutating func advance(to reached: UInt64, _ gathered: inout GatheredNews) {
    if generation == reached { return }
    defer { generation = reached }
    guard let news = feed.news(after: &mark, upTo: reached) else {
      gathered.isUnknown = true
      return
    }
    // Those that the view before has shown already are left out.
    let unseen = generation.map { seen in news.filter { $0.generation > seen } } ?? news
    gathered.append(unseen, of: chain)
    // Before its first view a context has read nothing, and what it has saved itself is in the feed
    // before anybody else can have changed it: there the first entry is where the count begins.
    guard let start = generation ?? unseen.first.map({ $0.generation - 1 }) else { return }
    let isGapless = unseen.enumerated().allSatisfy {
      $0.element.generation == start + UInt64($0.offset) + 1
    }
    if !isGapless || start + UInt64(unseen.count) != reached { gathered.isUnknown = true }
  }

  /// What is kept of the sights between views: no more of overlays than is needed.
  private static func kept(_ sights: [LayerSight]) -> [LayerSight] {
    sights.map { LayerSight(mark: $0.mark, published: Overlay(), working: $0.working) }
  }
}
