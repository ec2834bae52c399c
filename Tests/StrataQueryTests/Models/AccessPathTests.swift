// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// The ways to objects that a plan took.
private struct PathTaken {
  private(set) var ways: Set<String> = []

  static let all = [
    "records", "objects", "union", "intersection", "relationship", "index", "index over several",
    "index in order", "index in reverse order", "index over several in order", "window", "sort",
    "best", "filter", "count", "given up", "entries alone",
  ]

  init(_ explanation: QueryExplanation) {
    visit(explanation.plan)
    if explanation.recordsRead == 0, explanation.rowsReturned > 0 { ways.insert("entries alone") }
  }

  private mutating func visit(_ step: QueryExplanation.Step) {
    if step.outcome == .skipped { return }
    if step.outcome == .givenUp { ways.insert("given up") }
    ways.insert(step.kind.rawValue)
    if step.kind == .index {
      let isCompound = step.detail.prefix { $0 != "(" }.contains(", ") && step.detail.contains("(")
      let isInOrder = step.detail.hasSuffix(" order")
      if isCompound { ways.insert("index over several") }
      if isInOrder { ways.insert("index in order") }
      if isCompound, isInOrder { ways.insert("index over several in order") }
      if step.detail.hasSuffix("reverse order") { ways.insert("index in reverse order") }
    }
    for input in step.inputs { visit(input) }
  }
}

/// Three small worlds and a large one, of saved, pending and mixed data. Each step fetches from one
/// of them in the way that the planner chooses among several. A filter and a sort over plain Swift
/// values find the same.
private struct PathWorld: Model {
  var random: ModelRandom
  private typealias Source = (world: World, view: ReadView)
  /// Without a segment, with one, and with four of two contexts.
  private let small: [Source]
  private let large: Source

  init(_ random: ModelRandom) throws {
    self.random = random
    var small: [Source] = []
    for segmentCount in [0, 1, 4] {
      small.append(
        try World.random(&self.random, cityCount: 50, segmentCount: segmentCount))
    }
    self.small = small
    let segmentCount = self.random.pick([0, 1, 4]) ?? 0
    large = try World.random(&self.random, cityCount: 600, segmentCount: segmentCount)
  }

  static var operations: [ModelOperation<PathWorld>] {
    [
      ModelOperation("fetch from few", weight: 15) {
        try $0.fetch(from: $0.small[$0.random.below(3)])
      },
      ModelOperation("fetch from many") { try $0.fetch(from: $0.large) },
    ]
  }

  private mutating func fetch(from source: Source) throws {
    let (world, view) = source
    var generator = random.seeded()
    let term = random.chance(10) ? nil : AccessTerm.random(in: world, &generator)
    let keys = (0..<random.below(4)).map { _ in RandomSortKey.random(&generator) }
    var request = keys.reduce(FetchRequest<City>(term?.predicate)) { $1.apply($0) }
    if random.chance(2) { request = request.limit(random.below(31)) }
    if random.chance(2) { request = request.offset(random.below(13)) }
    if random.chance(6) { request = request.excludingSubentities() }
    let expected = world.cities.filter {
      (request.includesSubentities || $0.key.entity == world.city.number)
        && term?.isTrue($0.key, world) ?? true
    }.sorted { RandomSortKey.areInOrder($0, $1, by: keys, in: world) }
      .map(\.key).dropFirst(request.offset).prefix(request.limit ?? .max)
    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    random.note("\(term?.text ?? "all"), by \(keys.map(\.text)), \(plan)")
    let rows = try plan.fetch(in: view)
    try expectSame(rows.map(\.key), Array(expected), "fetched")
    try world.expectNames(of: rows)
    try expectSame(plan.fetchKeys(in: view), Array(expected), "fetched keys")
    try expectSame(plan.count(in: view), expected.count, "counted")
    for answer in [QueryExplanation.Answer.objects, .ids, .count] {
      let explanation = try plan.explanation(of: answer, in: view)
      try expectSame(explanation.rowsReturned, expected.count, "returned by \(explanation)")
      for way in PathTaken(explanation).ways { random.count(way) }
    }
  }
}

@Suite struct `Every way to the objects compared with a plain filter` {
  @Test func `finds the same, and is taken`() async {
    let meets = Dictionary(uniqueKeysWithValues: PathTaken.all.map { ($0, 5) })
    let failure = await ModelTest(
      "access paths", sequences: 4, steps: 200, meets: meets, width: 2, make: PathWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
