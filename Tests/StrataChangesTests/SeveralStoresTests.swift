// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Synchronization
import Testing

private typealias G = Geography

/// Two stores of which only the numbers are read.
private final class Source: SnapshotSource {
  let schema = G.schema
  let feeds = [ChangeFeed(), ChangeFeed()]
  private let generations = Mutex<[UInt64]>([0, 0])

  func snapshot() -> any Snapshot { TwoGenerations(generations.withLock { $0 }) }

  func commit(_ keys: ChangedKeys, to place: Int, origin: LayerIdentity? = nil) {
    let generation = commitElsewhere(to: place)
    _ = feeds[place].append(ChangeEvent(origin: origin, generation: generation, keys: keys))
  }

  /// A commit of another process.
  @discardableResult
  func commitElsewhere(to place: Int) -> UInt64 {
    generations.withLock {
      $0[place] += 1
      return $0[place]
    }
  }
}

private final class TwoGenerations: Snapshot {
  private let generations: [UInt64]
  var generation: UInt64 { generations.reduce(0, +) }

  init(_ generations: [UInt64]) { self.generations = generations }

  func generation(ofStoreAt place: Int) -> UInt64 { generations[place] }

  func shows(_ tag: UInt64) -> Bool {
    let (place, generation) = CommitTag.parts(of: tag)
    return generation <= generations[place]
  }

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

@Suite struct `With several stores` {
  private let source = Source()
  private let layer: ContextLayer
  private let a = G.key("City", 1)
  private let b = G.key("City", 2)

  init() { layer = ContextLayer(parent: nil, lock: LayerLock(), source: source) }

  private func view() throws -> ReadView {
    try ReadView.take(own: Overlay(), layer: layer, source: source)
  }

  @Test func `a follower is notified of the commits to each`() throws {
    var following = Following(layer: layer)
    _ = following.advance(to: try view())
    source.commit(ChangedKeys(updated: [a]), to: 0)
    let early = try view()
    source.commit(ChangedKeys(updated: [b]), to: 1)
    source.commit(ChangedKeys(deleted: [b]), to: 1)
    let first = following.advance(to: early)
    #expect(first.keys.flatMap(\.updated) == [a])
    let second = following.advance(to: try view())
    #expect(second.keys.flatMap(\.updated) == [b])
    #expect(second.keys.flatMap(\.deleted) == [b])
    #expect(following.advance(to: try view()).isEmpty)
  }

  @Test func `a gap in one is no gap in the other`() throws {
    var following = Following(layer: layer)
    _ = following.advance(to: try view())
    source.commitElsewhere(to: 1)
    #expect(following.advance(to: try view()).isUnknown)
    source.commit(ChangedKeys(updated: [a]), to: 0)
    source.commit(ChangedKeys(updated: [b]), to: 1)
    let gathered = following.advance(to: try view())
    #expect(!gathered.isUnknown)
    #expect(gathered.keys.flatMap(\.updated) == [a, b])
  }

  @Test func `a push rests on the state of each`() throws {
    var following = Following(layer: layer)
    _ = following.advance(to: try view())
    let position = following.position
    #expect(following.isCovered(by: position))
    for place in 0..<2 {
      source.commit(ChangedKeys(updated: [a]), to: place)
      _ = following.advance(to: try view())
      #expect(!following.isCovered(by: position))
      #expect(following.isCovered(by: following.position))
    }
  }

  @Test func `own events of one are passed only if the other has none`() throws {
    var following = Following(layer: layer)
    _ = following.advance(to: try view())
    let isPassedAtFirst = following.passOwnEvents()
    source.commit(ChangedKeys(updated: [a]), to: 1)
    let isPassedWithOthers = following.passOwnEvents()
    _ = following.advance(to: try view())
    let isPassedAtLast = following.passOwnEvents()
    #expect(isPassedAtFirst && !isPassedWithOthers && isPassedAtLast)
  }

  @Test func `a segment is hidden by a commit to its own store`() throws {
    let segment = Segment(changes: [a: .delete(base: nil)], schema: G.schema)
    source.commit(ChangedKeys(), to: 0)
    source.commit(ChangedKeys(), to: 0)
    segment.setTag(CommitTag.tag(1, ofStoreAt: 1))
    let before = source.snapshot()
    #expect(!before.shows(CommitTag.tag(1, ofStoreAt: 1)))
    source.commit(ChangedKeys(), to: 1)
    let view = try view()
    #expect(view.over(Overlay([segment])).layers.segments.isEmpty)
    let older = ReadView(
      own: Overlay([segment]), inherited: [], snapshot: before, schema: G.schema)
    #expect(older.layers.segments.count == 1)
    let shared = SharedSnapshot(view.snapshot)
    #expect(shared.shows(CommitTag.tag(1, ofStoreAt: 1)))
    #expect(shared.generation(ofStoreAt: 0) == 2 && shared.generation(ofStoreAt: 1) == 1)
  }
}
