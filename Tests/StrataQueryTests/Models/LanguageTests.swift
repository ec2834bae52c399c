// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// A world of saved, pending and mixed data. Each step draws a predicate of the whole language as a
/// format string. A plan, each object asked by itself, and a filter over plain Swift values find
/// the same.
private struct FormattedWorld: Model {
  var random: ModelRandom
  private let world: World
  private let view: ReadView

  init(_ random: ModelRandom) throws {
    self.random = random
    // No segment, one, and four of two contexts.
    let segmentCount = self.random.pick([0, 1, 4]) ?? 0
    (world, view) = try World.random(&self.random, cityCount: 24, segmentCount: segmentCount)
  }

  static var operations: [ModelOperation<FormattedWorld>] {
    [
      ModelOperation("cities", weight: 4) { try $0.fetchCities() },
      ModelOperation("countries") { try $0.fetchCountries() },
    ]
  }

  /// A predicate, and its meaning in plain Swift.
  private mutating func formula(
    aboutCities: Bool
  ) throws -> (predicate: FetchPredicate, isTrue: ([ObjectKey]) -> Bool) {
    var formula = RandomFormula(in: world, aboutCities: aboutCities, random.seeded())
    let condition = formula.condition(depth: random.below(4))
    random.note("\(condition.text) % \(formula.arguments)")
    let predicate = try FetchPredicate(format: condition.text, argumentArray: formula.arguments)
    return (predicate, condition.isTrue)
  }

  private mutating func fetchCities() throws {
    let (predicate, isTrue) = try formula(aboutCities: true)
    var generator = random.seeded()
    let keys = (0..<random.below(3)).map { _ in RandomSortKey.random(&generator) }
    var request = keys.reduce(FetchRequest<City>(predicate)) { $1.apply($0) }
    if random.chance(2) { request = request.limit(random.below(9)).offset(random.below(4)) }
    let expected = world.cities.filter { isTrue([$0.key]) }
      .sorted { RandomSortKey.areInOrder($0, $1, by: keys, in: world) }
      .map(\.key)
    try compare(request.untyped, world.city, expected)
  }

  private mutating func fetchCountries() throws {
    let (predicate, isTrue) = try formula(aboutCities: false)
    let expected = world.countries.keys.filter { isTrue([$0]) }.sorted()
    try compare(FetchRequest<Country>(predicate).untyped, world.country, expected)
  }

  private mutating func compare(
    _ request: UntypedFetchRequest, _ entity: EntitySchema, _ expected: [ObjectKey]
  ) throws {
    let plan = try QueryPlan(request, entity: entity, schema: world.schema)
    random.note("\(plan)")
    let window = Array(expected.dropFirst(request.offset).prefix(request.limit ?? .max))
    try expectSame(plan.fetch(in: view).map(\.key), window, "fetched")
    try expectSame(plan.count(in: view), window.count, "counted")
    try expectSame(scan(plan, entity), Set(expected), "asked one by one")
  }

  /// Asks each object by itself, without a plan.
  private func scan(_ plan: QueryPlan, _ entity: EntitySchema) throws -> Set<ObjectKey> {
    let reader = RowReader(view: view)
    var found: Set<ObjectKey> = []
    let keys =
      entity.number == world.country.number ? Array(world.countries.keys) : Array(world.cities.keys)
    for key in keys {
      guard let stored = try view.record(of: key),
        let layout = world.schema.layout(of: key.entity)
      else { continue }
      let isTrue = try stored.record.withRow(of: key, layout) { row in
        try plan.condition?.isTrue(of: row, reader)
      }
      if isTrue ?? true { found.insert(key) }
    }
    return found
  }
}

@Suite struct `The whole language compared with a plain filter` {
  @Test func `finds the same`() async {
    let failure = await ModelTest(
      "language", sequences: 20, steps: 120, width: 2, make: FormattedWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
