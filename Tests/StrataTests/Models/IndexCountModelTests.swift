// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// Cities in a store and in three contexts, one in the other. Each step changes some in one of the
/// contexts. Counts, sums and pages, which an index answers by its blocks, are those of the
/// objects.
private struct CountedWorld: Model {
  var random: ModelRandom
  private let contexts: [ContextQueue]

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try geography()
    let child = ContextQueue(parent: container.root)
    contexts = [container.root, child, ContextQueue(parent: child)]
    for context in contexts {
      try context.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
    }
    try container.root.performAndWait { context in
      let countries = ["A", "B"].map { context.country($0) }
      for number in 0..<400 {
        context.city(
          "city", population: number % 50, in: countries[number.isMultiple(of: 20) ? 1 : 0])
      }
      try context.save()
    }
  }

  static var operations: [ModelOperation<CountedWorld>] {
    [
      ModelOperation("change", weight: 4) { try $0.perform(change) },
      ModelOperation("save") { try $0.perform { context, _ in try? context.save() } },
      ModelOperation("compare", weight: 4) { try $0.perform(compare) },
    ]
  }

  /// Does something in one of the contexts.
  private mutating func perform(
    _ body: @Sendable (ManagedObjectContext, inout SeededGenerator) throws -> Void
  ) throws {
    let seed = random.next()
    try contexts[random.below(3)].performAndWait { context in
      var random = SeededGenerator(seed: seed)
      try body(context, &random)
    }
  }

  @Sendable private static func change(
    in context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let cities = try context.fetch(City.all)
    let countries = try context.fetch(Country.all.sorted(by: \.name))
    for _ in 0...random.below(5) {
      guard let city = random.pick(cities), !city.isDeleted else { continue }
      switch random.below(5) {
      case 0: context.delete(city)
      case 1: city.population = random.below(60)
      case 2: city.country = random.chance(3) ? nil : random.pick(countries)
      case 3: random.pick(countries)?.cities.insert(city)
      default: context.city("new", population: random.below(60), in: random.pick(countries))
      }
    }
  }

  @Sendable private static func compare(
    in context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    for country in try context.fetch(Country.all) {
      let members = Array(country.cities)
      try expectSame(country.cities.count, members.count, "cities of \(country.name)")
      try expectSame(country.cities.isEmpty, members.isEmpty, "whether there are cities")
    }
    let cities = try context.fetch(City.all)
    let (low, high) = (random.below(30), 20 + random.below(40))
    let range = City.where { $0.population >= low && $0.population < high }
    let within = cities.map(\.population).filter { $0 >= low && $0 < high }
    try expectSame(try context.count(range), within.count, "count")
    try expectSame(try context.sum(range, of: \.population), within.reduce(0, +), "sum")
    try expectSame(try context.minimum(range, of: \.population), within.min(), "least")
    try expectSame(try context.maximum(range, of: \.population), within.max(), "greatest")
    try expectSame(
      try context.count(range, distinct: \.population), Set(within).count, "different values")
    let isReversed = random.chance(2)
    let sorted = cities.sorted {
      isReversed && $0.population != $1.population
        ? $0.population > $1.population
        : ($0.population, $0.objectID.key) < ($1.population, $1.objectID.key)
    }
    let offset = random.below(400)
    let page = City.all.sorted(by: \.population, order: isReversed ? .reverse : .forward)
      .offset(offset).limit(9)
    let expected = sorted.dropFirst(offset).prefix(9)
    try expectSame(try context.fetchIDs(page), expected.map(\.objectID), "page")
    try expectSame(
      try context.fetch(page.select(\.population)), expected.map(\.population), "rows")
  }
}

@Suite struct `What an index knows` {
  @Test func `is what its objects say, in every context`() async {
    let failure = await ModelTest(
      "index counts", sequences: 8, steps: 60, make: CountedWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
