// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

@Suite struct `Index runs` {
  private let index = G.entity(G.key("City", 1)).numbers[G.name]

  /// Names that share long beginnings, short ones, and one that many have.
  private func someName(_ random: inout SeededGenerator) -> String? {
    switch Int.random(in: 0...5, using: &random) {
    case 0: nil
    case 1: "the same"
    case 2: String(UInt64.random(in: .min ... .max, using: &random), radix: 36)
    case 3: "a long beginning, and then \(Int.random(in: 0...99, using: &random))"
    case 4: String(repeating: "x", count: Int.random(in: 0...300, using: &random))
    default: "\(Int.random(in: 0...9, using: &random))"
    }
  }

  private func someSegment(_ count: Int, _ random: inout SeededGenerator) -> Segment {
    var changes: [ObjectKey: Change] = [:]
    for _ in 0..<count {
      let key = G.key("City", UInt64.random(in: 1...UInt64(2 * count), using: &random))
      changes[key] =
        Int.random(in: 0...9, using: &random) == 0
        ? .delete(base: nil) : .insert(G.city(name: someName(&random)), slots: [G.name])
    }
    return G.segment(changes)
  }

  private func entries(_ run: IndexRun?) -> [[UInt8]] {
    guard let run else { return [] }
    return run.entries.indices.map { run.withBytes(at: $0) { Array($0) } }
  }

  /// The expected run of a segment with these changes.
  private func expected(_ changes: ChangeTable) throws -> [[UInt8]] {
    try changes.compactMap { key, change in
      guard let record = change.record else { return nil }
      let entity = G.entity(key)
      var entry: [UInt8] = []
      try #require(entity.index(at: G.name)).append(valueOf: record, entity.layout, to: &entry)
      KeyEncoder.append(objectKey: key, to: &entry)
      return entry
    }.sorted { $0.precedes($1) }
  }

  @Test func `have the entries of all records, sorted by their bytes`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for count in [1, 2, 20, 300, 3_000] {
      let segment = someSegment(count, &random)
      let run = segment.run(of: index)
      #expect(try entries(run) == expected(segment.changes), "seed \(seed)")
      for (place, entry) in entries(run).enumerated() {
        #expect(run?.firstIndex(notBelow: entry) == place, "seed \(seed)")
        #expect(
          entry.withUnsafeBytes { KeyEncoder.objectKey(ofEntry: $0) }
            == run?.entries[place].object, "seed \(seed)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `are the same whether they were merged or made of the merged segment`(
    arePrepared: Bool
  ) throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var overlay = Overlay()
    for round in 0..<60 {
      let segment = someSegment(Int.random(in: 1...60, using: &random), &random)
      // One that was asked for before merging is merged, one that was not is made.
      if arePrepared {
        segment.prepareRuns()
      } else if round.isMultiple(of: 3) {
        _ = segment.run(of: index)
      }
      overlay = overlay.adding(segment).compacted()
      let flat = try #require(overlay.flattened())
      #expect(try entries(flat.run(of: index)) == expected(flat.changes), "seed \(seed)")
    }
  }

  @Test func `tell the entries of a range as a comparison of all their bytes does`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for count in [1, 3, 40, 400] {
      let segment = someSegment(count, &random)
      let run = try #require(segment.run(of: index), "seed \(seed)")
      let entries = entries(run)
      // Bounds that are entries, prefixes of entries, and between entries.
      var bounds: [[UInt8]] = [[], [0], [0xFF], [0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0]]
      for _ in 0..<30 {
        guard let entry = entries.randomElement(using: &random) else { continue }
        var bound = Array(entry.prefix(.random(in: 0...entry.count, using: &random)))
        if Bool.random(using: &random), let last = bound.indices.last { bound[last] &+= 1 }
        if Bool.random(using: &random) { bound.append(0) }
        bounds.append(bound)
      }
      for lower in bounds {
        let upper = bounds.randomElement(using: &random) ?? []
        let isAbove: ([UInt8]) -> Bool = { !$0.precedes(lower) }
        let isBelow: ([UInt8]) -> Bool = { $0.precedes(upper) }
        let found = run.indices(in: KeyRange(lower: lower, upper: upper))
        #expect(
          entries[found] == entries.filter { isAbove($0) && isBelow($0) }[...], "seed \(seed)")
        let open = run.indices(in: KeyRange(lower: lower))
        #expect(entries[open] == entries.filter(isAbove)[...], "seed \(seed)")
        #expect(run.firstIndex(notBelow: lower) == open.lowerBound, "seed \(seed)")
      }
    }
  }
}
