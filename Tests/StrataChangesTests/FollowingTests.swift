// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Synchronization
import Testing

private typealias G = Geography

/// A store without objects that is at any generation that it is told.
private final class Source: SnapshotSource {
  let schema = G.schema
  let feed = ChangeFeed()
  var feeds: [ChangeFeed] { [feed] }
  let generation = Atomic<UInt64>(0)

  func snapshot() -> any Snapshot { EmptySnapshot(generation: generation.load(ordering: .relaxed)) }

  /// A commit whose events this process hears.
  func commit(_ keys: ChangedKeys, origin: LayerIdentity? = nil, decided: [ObjectKey] = []) {
    let number = generation.add(1, ordering: .relaxed).newValue
    _ = feed.append(ChangeEvent(origin: origin, generation: number, keys: keys, decided: decided))
  }

  /// A commit of another process.
  func commitElsewhere() { generation.add(1, ordering: .relaxed) }
}

private final class EmptySnapshot: Snapshot {
  let generation: UInt64

  init(generation: UInt64) { self.generation = generation }

  func record(for key: ObjectKey) -> StoredRecord? { nil }
  func externalData(of key: ObjectKey, at slot: Int) -> ExternalData? { nil }
  func contains(_ key: ObjectKey) -> Bool { false }
  func scanRecords(
    of entity: EntityNumber, _ body: (ObjectKey, UInt64, UnsafeRawBufferPointer) throws -> ScanStep
  ) {}
  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) {}
  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) {}
  func scanLinks(at place: LinkPlace, _ body: (ObjectKey, UInt64) throws -> ScanStep) {}
  func link(at place: LinkPlace, to target: ObjectKey) -> UInt64? { nil }
  func count(of entity: EntityNumber) -> Int { 0 }
}

@Suite struct `A follower` {
  private let source = Source()
  private let a = G.key("City", 1)
  private let b = G.key("City", 2)
  private let c = G.key("City", 3)

  private func view(below layer: ContextLayer) throws -> ReadView {
    try ReadView.take(own: Overlay(), layer: layer, source: source)
  }

  private func layers() -> (root: ContextLayer, child: ContextLayer) {
    let root = ContextLayer(parent: nil, lock: LayerLock(), source: source)
    return (root, ContextLayer(parent: root, lock: root.lock, source: source))
  }

  @Test func `of the store is notified of commits up to its snapshot, once`() throws {
    let (root, _) = layers()
    var following = Following(layer: root)
    #expect(following.advance(to: try view(below: root)).isEmpty)
    source.commit(ChangedKeys(updated: [a]))
    let early = try view(below: root)
    source.commit(ChangedKeys(deleted: [b]))
    let first = following.advance(to: early)
    #expect(first.keys.flatMap(\.updated) == [a])
    #expect(first.keys.flatMap(\.deleted).isEmpty)
    let second = following.advance(to: try view(below: root))
    #expect(second.keys.flatMap(\.deleted) == [b])
    #expect(following.advance(to: try view(below: root)).isEmpty)
  }

  @Test func `is notified that anything may have changed if a generation is not in the feed`()
    throws
  {
    let (root, _) = layers()
    var following = Following(layer: root)
    _ = following.advance(to: try view(below: root))
    source.commitElsewhere()
    #expect(following.advance(to: try view(below: root)).isUnknown)
    source.commitElsewhere()
    source.commit(ChangedKeys(updated: [a]))
    #expect(following.advance(to: try view(below: root)).isUnknown)
    source.commit(ChangedKeys(updated: [a]))
    #expect(!following.advance(to: try view(below: root)).isUnknown)
  }

  @Test func `counts from the first entry, if it began before its first view`() throws {
    let (root, _) = layers()
    source.commitElsewhere()
    var following = Following(layer: root)
    source.commit(ChangedKeys(inserted: [a]), origin: root.identity)
    source.commit(ChangedKeys(updated: [a]))
    let gathered = following.advance(to: try view(below: root))
    #expect(gathered.keys.flatMap(\.updated) == [a])
    #expect(!gathered.isUnknown)
    var late = Following(layer: root)
    source.commit(ChangedKeys(inserted: [a]), origin: root.identity)
    source.commitElsewhere()
    let unknown = late.advance(to: try view(below: root)).isUnknown
    #expect(unknown)
  }

  @Test func `is not notified of its ancestors' commits, but of policy decisions`()
    throws
  {
    let (root, child) = layers()
    var following = Following(layer: child)
    _ = following.advance(to: try view(below: child))
    source.commit(ChangedKeys(updated: [a, b]), origin: root.identity, decided: [b])
    let gathered = following.advance(to: try view(below: child))
    #expect(gathered.keys.isEmpty)
    #expect(gathered.suspects == [b])
    #expect(gathered.committed.map(\.generation) == [1])
  }

  @Test func `is notified early of what its ancestors have published and committed after the copy`()
    throws
  {
    let (root, child) = layers()
    var following = Following(layer: child)
    _ = following.advance(to: try view(below: child))
    var kept = KeptBeneath(child)
    let copy = kept.current()
    // Only one of the two committed objects was published after the copy, and a third one, which
    // was not committed.
    let published = ChangeEvent(origin: nil, keys: ChangedKeys(updated: [a, c]))
    #expect(root.publish(Overlay(), ifStill: root.revision, event: published))
    source.commit(ChangedKeys(inserted: [b], updated: [a]), origin: root.identity)
    let early = try ReadView.take(own: Overlay(), over: copy, source: source)
    early.mayHavePassedBookmarks = kept.hasChanged(since: copy, before: early.snapshot)
    let gathered = following.advance(to: early)
    #expect(gathered.keys.map(\.updated) == [[a]])
    #expect(gathered.unsettled == [a])
    #expect(gathered.committed.map(\.generation) == [1])
    let next = kept.current()
    let later = try ReadView.take(own: Overlay(), over: next, source: source)
    #expect(!kept.hasChanged(since: next, before: later.snapshot))
    let due = following.advance(to: later)
    #expect(due.keys.map(\.updated) == [[a, c]])
    #expect(due.unsettled == [a])
    let last = following.advance(to: try view(below: child))
    #expect(last.unsettled.isEmpty)
  }

  @Test func `is notified of a sibling's push, and not of its own`() throws {
    let (root, child) = layers()
    let sibling = ContextLayer(parent: root, lock: root.lock, source: source)
    var following = Following(layer: child)
    _ = following.advance(to: try view(below: child))
    for (sender, key) in [(child, a), (sibling, b)] {
      let segment = G.segment([key: .insert(G.city(name: "x"), slots: [G.name])])
      let composed = root.current.published.adding(segment)
      let isDone = root.receive(
        ContextLayer.Push(segment: segment, touched: [key], senderPosition: nil),
        composed: composed,
        ifStill: root.current.revision, from: sender, ifStill: sender.current.revision,
        event: ChangeEvent(pushing: segment, composed: segment, from: sender.identity))
      #expect(isDone)
    }
    let gathered = following.advance(to: try view(below: child))
    #expect(gathered.keys.flatMap(\.inserted) == [b])
    #expect(gathered.suspects.isEmpty)
  }

  @Test func `must check the result of composing its own push`() {
    let base = Base(record: G.city(name: "x", population: 1), generation: 1)
    let older = G.overlay([
      a: .update(G.city(from: base.record, population: 2), base: base, slots: [G.population]),
      b: .delete(base: base),
    ])
    let pushed = G.segment([
      a: .update(G.city(from: base.record, name: "y"), base: base, slots: [G.name]),
      b: .update(G.city(from: base.record, name: "y"), base: base, slots: [G.name]),
    ])
    let composed = Composition.compose(pushed, onto: older, schema: G.schema)
    let event = ChangeEvent(pushing: pushed, composed: composed, from: LayerIdentity())
    #expect(Set(event.decided) == [a, b])
    #expect(event.uncovered == [b])
    #expect(event.keys?.updated == [a])
    let unopposed = ChangeEvent(pushing: pushed, composed: pushed, from: LayerIdentity())
    #expect(unopposed.decided.isEmpty)
  }
}

@Suite struct `The difference of two overlays` {
  private let a = G.key("City", 1)
  private let b = G.key("City", 2)
  private let c = G.key("City", 3)
  private let base = Base(record: G.city(name: "base"), generation: 1)

  private func update(_ name: String) -> Change {
    .update(G.city(from: base.record, name: name), base: base, slots: [G.name])
  }

  @Test func `names new, changed and deleted objects`() {
    let old = G.overlay([b: update("1")])
    let new = old.adding(
      G.segment([
        a: .insert(G.city(name: "a"), slots: [G.name]), b: update("2"), c: .delete(base: base),
      ]))
    let difference = OverlayDifference(from: old, to: new)
    #expect(difference.changed.inserted == [a])
    #expect(difference.changed.updated == [b])
    #expect(difference.changed.deleted == [c])
    #expect(difference.reverted.isEmpty)
  }

  @Test func `is nothing where segments were merged only`() {
    let old = G.overlay([a: update("1")]).adding(G.segment([b: update("2"), a: update("3")]))
    let merged = old.compacted()
    #expect(merged.segments.count == 1)
    #expect(OverlayDifference(from: old, to: merged).all.isEmpty)
  }

  @Test func `names the reverse of the undone group`() {
    let old = G.overlay([
      a: .insert(G.city(name: "a"), slots: [G.name]), b: update("1"), c: .delete(base: base),
    ])
    let difference = OverlayDifference(from: old, to: Overlay())
    #expect(difference.reverted.deleted == [a])
    #expect(difference.reverted.updated == [b])
    #expect(difference.reverted.inserted == [c])
    #expect(difference.changed.isEmpty)
  }

  @Test func `names the ends of links that came or went`() throws {
    let number = try #require(G.entity(G.key("Country", 1)).relationships.compactMap { $0 }.last)
      .number
    var links = LinkChanges()
    links.set(.present(position: 0), at: LinkPlace(number, a), to: b)
    let linked = Overlay([G.segment([:], links: links)])
    #expect(OverlayDifference(from: Overlay(), to: linked).changed.updated == [a])
    #expect(OverlayDifference(from: linked, to: Overlay()).reverted.updated == [a])
  }
}
