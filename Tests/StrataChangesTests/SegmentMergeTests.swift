// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

@Suite struct `A merge of segments in steps` {
  private let index = G.entity(G.key("City", 1)).numbers[G.name]

  /// The contents of segments, oldest first, kept without any of their types.
  private struct Model {
    var names: [ObjectKey: String?] = [:]
    var deleted: Set<ObjectKey> = []
    var links: [LinkPlace: [ObjectKey: LinkState]] = [:]
  }

  private func someSegment(_ random: inout SeededGenerator, _ model: inout Model) -> Segment {
    var changes: [ObjectKey: Change] = [:]
    // Some are close together, some apart, some of another entity.
    let first = UInt64.random(in: 0...3, using: &random) * 40
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      let key = G.key("City", first + UInt64.random(in: 1...60, using: &random))
      model.deleted.remove(key)
      model.names[key] = nil
      if Int.random(in: 0...5, using: &random) == 0 {
        changes[key] = .delete(base: nil)
        model.deleted.insert(key)
      } else {
        let name = Bool.random(using: &random) ? "\(Int.random(in: 0...9, using: &random))" : nil
        changes[key] = .insert(G.city(name: name), slots: [G.name])
        model.names.updateValue(name, forKey: key)
      }
    }
    let country = G.key("Country", UInt64.random(in: 1...9, using: &random))
    changes[country] = .delete(base: nil)
    model.deleted.insert(country)
    var links = LinkChanges()
    for _ in 0..<Int.random(in: 0...3, using: &random) * 4 {
      let place = LinkPlace(
        PropertyNumber(rawValue: 7), G.key("City", UInt64.random(in: 1...3, using: &random)))
      let target = G.key("City", UInt64.random(in: 1...20, using: &random))
      let position = UInt64.random(in: 1...9, using: &random)
      let state: LinkState =
        switch Int.random(in: 0...2, using: &random) {
        case 0: .absent
        case 1: .moved(position: position)
        default: .present(position: position)
        }
      links.set(state, at: place, to: target)
    }
    for (place, states) in links.byPlace {
      for (target, state) in states {
        let older = model.links[place]?[target]
        model.links[place, default: [:]][target] = older.map { state.said(after: $0) } ?? state
      }
    }
    return G.segment(changes, links: links)
  }

  private func entries(_ run: IndexRun?) -> [[UInt8]] {
    guard let run else { return [] }
    return run.entries.indices.map { run.withBytes(at: $0) { Array($0) } }
  }

  @Test func `has the newest of each object, link and index entry, whatever the steps`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var model = Model()
      var segments: [Segment] = []
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        segments.insert(someSegment(&random, &model), at: 0)
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
      let names = merged.changes.filter { $0.value.record != nil }
      #expect(names.map { G.name($0.value) } == names.keys.map { model.names[$0] ?? "?" })
      #expect(Set(names.keys) == Set(model.names.keys), "seed \(seed)")
      let deleted = merged.changes.filter { $0.value.record == nil }
      #expect(Set(deleted.keys) == model.deleted, "seed \(seed)")
      #expect(merged.links.byPlace == model.links, "seed \(seed)")
      #expect(
        merged.links.count == model.links.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
      let made = Segment(changes: merged.changes, links: merged.links, schema: G.schema)
      #expect(entries(merged.run(of: index)) == entries(made.run(of: index)), "seed \(seed)")
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
