// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// Requests of which each can be answered in several ways are answered by the planner's and by
/// filtering and sorting plain Swift values, over saved, pending and mixed data. There must be no
/// difference, and no way may be left untested.
///
/// 24 worlds with 200 requests each; `STRATA_QUERY_WORLDS` makes it more.
@Suite struct `Every way to the objects compared with a plain filter` {
  private static let worldCount = UInt64(
    ProcessInfo.processInfo.environment["STRATA_QUERY_WORLDS"].flatMap(UInt64.init) ?? 24)

  @Test(arguments: 1...worldCount)
  func `finds the same`(seed: UInt64) throws {
    var tally = PathTally()
    try compare(seed: seed, cityCount: seed % 8 == 0 ? 600 : 50, &tally)
  }

  @Test func `is taken by random requests, all ways among them`() throws {
    var tally = PathTally()
    for seed in 5_001...5_012 as ClosedRange<UInt64> {
      try compare(seed: seed, cityCount: seed % 4 == 0 ? 600 : 40, &tally)
    }
    print("Ways taken:", tally)
    for way in PathTally.ways {
      #expect(tally.counts[way, default: 0] >= 10, "\(way): \(tally)")
    }
  }

  private func compare(seed: UInt64, cityCount: Int, _ tally: inout PathTally) throws {
    let segmentCount = [0, 1, 4][Int(seed % 3)]
    var (world, random) = try World.random(
      seed: seed &+ 90_000, cityCount: cityCount, segmentCount: segmentCount)
    let (view, _) = world.view(ownCount: (segmentCount + 1) / 2)
    for _ in 0..<(cityCount > 100 ? 60 : 200) {
      let term =
        Int.random(in: 0..<10, using: &random) == 0 ? nil : AccessTerm.random(in: world, &random)
      let keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        RandomSortKey.random(&random)
      }
      var request = keys.reduce(FetchRequest<City>(term?.predicate)) { $1.apply($0) }
      if Bool.random(using: &random) {
        request = request.limit(.random(in: 0...30, using: &random))
      }
      if Bool.random(using: &random) {
        request = request.offset(.random(in: 0...12, using: &random))
      }
      if Int.random(in: 0..<6, using: &random) == 0 { request = request.excludingSubentities() }
      let expected = world.cities.filter {
        (request.includesSubentities || $0.key.entity == world.city.number)
          && term?.isTrue($0.key, world) ?? true
      }.sorted { left, right in
        for key in keys {
          let order = key.order(left.value, right.value)
          if order != 0 { return order < 0 }
        }
        return left.key < right.key
      }.map(\.key).dropFirst(request.fetchOffset).prefix(request.fetchLimit ?? .max)
      let text = "seed \(seed): \(term?.text ?? "all"), by \(keys.map(\.text))"
      try compare(request, Array(expected), in: world, view, text, &tally)
    }
  }

  private func compare(
    _ request: FetchRequest<City>, _ expected: [ObjectKey], in world: World, _ view: ReadView,
    _ text: String, _ tally: inout PathTally
  ) throws {
    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    let text = "\(text), \(plan)"
    let rows = try plan.fetch(in: view)
    #expect(rows.map(\.key) == expected, "\(text)")
    for row in rows {
      let stored = try #require(row.record, "\(text)")
      let layout = try #require(world.schema.entity(row.key.entity)?.layout)
      let name: String? = stored.record.value(at: 0, layout)
      #expect(name == world.cities[row.key]?.name, "\(text)")
    }
    #expect(try plan.fetchKeys(in: view) == expected, "\(text)")
    #expect(try plan.count(in: view) == expected.count, "\(text)")
    for answer in [QueryExplanation.Answer.objects, .ids, .count] {
      let explanation = try plan.explanation(of: answer, in: view)
      #expect(explanation.rowsReturned == expected.count, "\(text): \(explanation)")
      tally.add(explanation)
    }
  }
}

/// How often each way to objects was taken.
struct PathTally: CustomStringConvertible {
  private(set) var counts: [String: Int] = [:]

  static let ways = [
    "records", "objects", "union", "intersection", "relationship", "index", "index over several",
    "index in order", "index in reverse order", "index over several in order", "window", "sort",
    "best", "filter", "count", "given up", "entries alone",
  ]

  mutating func add(_ explanation: QueryExplanation) {
    var all: Set<String> = []
    visit(explanation.plan, &all)
    if explanation.recordsRead == 0, explanation.rowsReturned > 0 { all.insert("entries alone") }
    for way in all { counts[way, default: 0] += 1 }
  }

  private func visit(_ step: QueryExplanation.Step, _ all: inout Set<String>) {
    if step.outcome == .skipped { return }
    if step.outcome == .givenUp { all.insert("given up") }
    all.insert(step.kind.rawValue)
    if step.kind == .index {
      let isCompound = step.detail.prefix { $0 != "(" }.contains(", ") && step.detail.contains("(")
      let isInOrder = step.detail.hasSuffix(" order")
      if isCompound { all.insert("index over several") }
      if isInOrder { all.insert("index in order") }
      if isCompound, isInOrder { all.insert("index over several in order") }
      if step.detail.hasSuffix("reverse order") { all.insert("index in reverse order") }
    }
    for input in step.inputs { visit(input, &all) }
  }

  var description: String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
