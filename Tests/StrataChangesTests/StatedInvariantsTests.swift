// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord
import Testing

private typealias G = Geography

/// A planted violation of each invariant. In a build with `STRATA_CHECKS` the mutation itself stops
/// the process, in others `requireInvariants()` does.
@Suite struct `Stated invariants of changes` {
  private func expect(
    _ sentence: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains(sentence) == true, sourceLocation: sourceLocation)
  }

  @Test func `of a table of changes stop two changes of one object`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = G.key("City", 1)
      let change = Change.delete(base: nil)
      ChangeTable(ascending: [key, key], [change, change]).requireInvariants()
    }
    expect("I1 Keys ascend without repetition; `values` has the change of each.", in: result)
  }

  @Test func `of a table of changes stop an entity between objects of another`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let keys = [G.key("City", 1), G.key("Country", 1), G.key("City", 2)]
      let changes = keys.map { _ in Change.delete(base: nil) }
      ChangeTable(ascending: keys, changes).requireInvariants()
    }
    expect(
      "I2 `spans` has each entity of the keys once, ascending; together they cover all.", in: result
    )
  }

  @Test func `of an index run stop two equal entries`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = G.key("City", 1)
      let layout = G.entity(key).layout
      guard let index = G.entity(key).index(at: G.name) else { return }
      let record = G.city(name: "A")
      var builder = IndexRunBuilder(index, layout, expecting: 2)
      builder.append(key, record.start)
      builder.append(key, record.start)
      withExtendedLifetime(record) {}
      builder.finished().requireInvariants()
    }
    expect("I1 Entries ascend bytewise without repetition, and the head", in: result)
  }

  @Test func `of a segment stop an update without a base`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var change = Change.insert(G.city(name: "A"), slots: [G.name])
      change.kind = .update
      G.segment([G.key("City", 1): change]).requireInvariants()
    }
    expect("I1 A deletion has no record and every other change has one", in: result)
  }

  @Test func `of a segment stop a run without one of its records`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = G.key("City", 1)
      let insert = Change.insert(G.city(name: "A"), slots: [G.name])
      Segment(
        changes: ChangeTable(ascending: [key], [insert]), links: LinkChanges(), schema: G.schema,
        runs: [(G.entity(key).numbers[G.name], IndexRun())]
      ).requireInvariants()
    }
    expect("I2 A run has an entry for each record here that its index covers.", in: result)
  }

  @Test func `of a segment stop a second tag`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let segment = G.segment([G.key("City", 1): .delete(base: nil)])
      segment.setTag(1)
      Segment.requireNone(segment.invariantBroken(byTag: 2))
    }
    expect("I3 A segment with a tag gets no other.", in: result)
  }

  @Test func `of an overlay stop a frozen segment above another`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let newer = G.segment([G.key("City", 1): .delete(base: nil)])
      let older = G.segment([G.key("City", 2): .delete(base: nil)])
      newer.freeze()
      Overlay([newer, older]).requireInvariants()
    }
    expect("I1 Frozen segments are the oldest.", in: result)
  }

  @Test func `of an overlay stop an update of an object that is new in it`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = G.key("City", 1)
      let record = G.city(name: "A")
      let update = Change.update(record, base: Base(record: record, generation: 0), slots: [0])
      let insert = Change.insert(record, slots: [G.name])
      Overlay([G.segment([key: update]), G.segment([key: insert])]).requireInvariants()
    }
    expect("I2 Among the segments that are not frozen, the first change of an object", in: result)
  }

  @Test func `of an overlay stop a merge of segments that are no neighbours`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let segments = (1...3).map { G.segment([G.key("City", $0): .delete(base: nil)]) }
      let merge = SharedMerge(SegmentMerge([segments[0], segments[2]]))
      Overlay(segments: segments, merges: [merge]).requireInvariants()
    }
    expect("I3 Each merge under way is of neighbouring segments, and no segment", in: result)
  }

  @Test func `of a layer stop a frozen segment without a save`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let segment = G.segment([G.key("City", 1): .delete(base: nil)])
      segment.freeze()
      let layer = ContextLayer(parent: nil, lock: LayerLock(), source: EmptySource())
      _ = layer.publish(Overlay([segment]), ifStill: layer.current.revision)
      layer.current.requireInvariants()
    }
    expect("I3 Segments are frozen only while a save of the layer's context", in: result)
  }
}

/// A store of which nothing is read.
private final class EmptySource: SnapshotSource {
  let schema = G.schema
  let feeds = [ChangeFeed()]

  func snapshot() throws -> any Snapshot { throw CancellationError() }
}
