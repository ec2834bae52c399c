// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

@Suite struct `A merge of segments in steps` {
  @Test func `has the newest of each object, link and index entry, whatever the steps`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let index = SegmentContents.index
    for _ in 0..<200 {
      var contents = SegmentContents()
      var segments: [Segment] = []
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        segments.insert(contents.makeSegment(using: &random), at: 0)
        // A run that was not asked for is not made.
        if Bool.random(using: &random) { _ = segments[0].run(of: index) }
      }
      var merge = SegmentMerge(segments)
      while merge.merged == nil {
        var budget = Int.random(in: 1...30, using: &random)
        let given = budget
        merge.advance(&budget)
        #expect(budget < given || merge.merged != nil, "seed \(seed): each step gets on")
        #expect(budget >= -segments.count, "seed \(seed): no step is longer than it may be")
        if Int.random(in: 0...9, using: &random) == 0 {
          _ = segments.randomElement(using: &random)?.run(of: index)
        }
      }
      let merged = try #require(merge.merged)
      #expect(contents.difference(from: merged) == nil, "seed \(seed)")
      for segment in segments + [merged] {
        segment.run(of: index)?.requireInvariants()
        segment.requireInvariants()
        segment.changes.requireInvariants()
      }
    }
  }
}

@Suite struct `A save over large pending changes` {
  private func segment(_ first: UInt64, _ count: Int, name: String = "A") -> Segment {
    let city = G.city(name: name)
    return G.segment(
      Dictionary(
        uniqueKeysWithValues: (0..<UInt64(count)).map {
          (G.key("City", first + $0), Change.insert(city, slots: [G.name]))
        }))
  }

  private var large: [Segment] {
    [0, 1, 2, 3].map { segment(100_000 - 20_000 * $0, 6_000) }
  }

  @Test func `does not merge them at once`() {
    let large = large
    let saved = Overlay(large).adding(segment(1, 1)).compacted()
    #expect(saved.segments.count == 5)
    #expect(saved.segments.dropFirst().elementsEqual(large, by: ===))
  }

  @Test func `goes on where the saves before it have stopped`() {
    let large = large
    var overlay = Overlay(large)
    var count = 0
    while overlay.segments.contains(where: { $0 === large[0] }), count < 1_000 {
      count += 1
      let small = segment(UInt64(count), 1)
      overlay = overlay.adding(small).compacted()
      overlay.requireInvariants()
      #expect(overlay.changes.count == 24_000 + count)
    }
    // Many saves had a part in it, and none of them a large one.
    #expect(count > 20)
    #expect(count < 200)
    #expect(overlay.segments.count < 10)
  }

  @Test func `keeps what a save has merged that was overtaken`() {
    let large = large
    var overlay = Overlay(large).adding(segment(1, 1)).compacted()
    // These savers' overlays are never shown.
    for serial in 2...100 as ClosedRange<UInt64> {
      _ = overlay.adding(segment(serial, 1)).compacted()
    }
    overlay = overlay.adding(segment(200, 1)).compacted()
    #expect(!overlay.segments.contains { $0 === large[0] })
    #expect(overlay.changes.count == 24_002)
  }

  @Test func `leaves a merge that is under way when a save to the store takes its segments`() {
    let large = large
    var overlay = Overlay(large).adding(segment(1, 1)).compacted()
    for segment in overlay.segments { segment.freeze() }
    for serial in 2...200 as ClosedRange<UInt64> {
      overlay = overlay.adding(segment(serial, 1)).compacted()
    }
    #expect(overlay.segments.suffix(5).dropFirst().elementsEqual(large, by: ===))
    for segment in overlay.segments.suffix(5) { segment.unfreeze() }
    for serial in 201...400 as ClosedRange<UInt64> {
      overlay = overlay.adding(segment(serial, 1)).compacted()
    }
    #expect(!overlay.segments.contains { $0 === large[0] })
    #expect(overlay.changes.count == 24_400)
  }

  @Test func `lets go of an older change of the same objects`() {
    let older = segment(1, 3)
    let newer = segment(1, 4, name: "B")
    let overlay = Overlay([older]).adding(newer).compacted()
    #expect(overlay.segments.count == 1)
    #expect(overlay.segments.first === newer)
  }
}
