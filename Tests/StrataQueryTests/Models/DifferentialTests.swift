// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// A world over store and layers. Each step fetches from it by a plan, which may be that of an
/// earlier step with another constant. A filter and a sort over plain Swift values find the same.
private struct FilteredWorld: Model {
  var random: ModelRandom
  private let world: World
  private let view: ReadView
  private let plans = PlanCache()

  init(_ random: ModelRandom, cityCount: Int, segmentCount: Int) throws {
    self.random = random
    (world, view) = try World.random(
      &self.random, cityCount: cityCount, segmentCount: segmentCount)
  }

  static var operations: [ModelOperation<FilteredWorld>] {
    [ModelOperation("fetch") { try $0.fetch() }]
  }

  private mutating func fetch() throws {
    var generator = random.seeded()
    let term =
      random.chance(8)
      ? nil : RandomTerm.random(depth: random.below(4), in: world, &generator)
    let keys = (0..<random.below(3)).map { _ in RandomSortKey.random(&generator) }
    var request = keys.reduce(FetchRequest<City>(term?.predicate)) { $1.apply($0) }
    if random.chance(2) { request = request.limit(random.below(31)) }
    if random.chance(2) { request = request.offset(random.below(random.chance(2) ? 10 : 90)) }
    if random.chance(5) { request = request.excludingSubentities() }
    let expected = world.cities
      .filter { request.includesSubentities || $0.key.entity == world.city.number }
      .filter { term?.isTrue($0.value, world) ?? true }
      .sorted { RandomSortKey.areInOrder($0, $1, by: keys, in: world) }
      .map(\.key).dropFirst(request.offset).prefix(request.limit ?? .max)

    let plan = try plans.plan(request, entity: world.city, schema: world.schema)
    let anew = try QueryPlan(request, entity: world.city, schema: world.schema)
    try expectSame(plan.description, anew.description, "planned")
    random.note("\(term?.text ?? "all"), by \(keys.map(\.text)), \(plan)")
    let loadsRecords = random.chance(2)
    let rows = try loadsRecords ? plan.fetch(in: view) : []
    let found = try loadsRecords ? rows.map(\.key) : plan.fetchKeys(in: view)
    try expectSame(found, Array(expected), "fetched")
    try expectSame(plan.count(in: view), expected.count, "counted")
    try world.expectNames(of: rows)
  }
}

@Suite struct `A fetch compared with a plain filter` {
  @Test func `finds the same saved objects`() async {
    #expect(await failure("saved", cityCount: 60, segmentCount: 0) == nil)
  }

  @Test func `finds the same through pending changes`() async {
    #expect(await failure("pending", cityCount: 60, segmentCount: 1) == nil)
  }

  @Test func `finds the same through two contexts of several segments`() async {
    #expect(await failure("two contexts", cityCount: 60, segmentCount: 4) == nil)
  }

  @Test func `finds the same among too many objects for an index`() async {
    let failure = await failure(
      "many", cityCount: 700, segmentCount: 2, sequenceCount: 2, stepCount: 40)
    #expect(failure == nil)
  }

  private func failure(
    _ name: String, cityCount: Int, segmentCount: Int, sequenceCount: Int = 3, stepCount: Int = 120
  ) async -> ModelFailure? {
    await ModelTest("fetch, \(name)", sequences: sequenceCount, steps: stepCount) {
      try FilteredWorld($0, cityCount: cityCount, segmentCount: segmentCount)
    }.firstFailure()
  }
}
