// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import Testing

// Foundation has a `FetchPredicate` too; this names the one that is meant.

@Suite struct `A predicate` {
  private func resolve(
    _ condition: (PropertyPath<City, City>) -> FetchPredicate
  ) throws -> String {
    let world = try World()
    let resolver = PathResolver(schema: world.schema, entity: world.city)
    return try condition(PropertyPath()).node.resolved(by: resolver).description
  }

  @Test func `of eight terms is type-checked without help`() throws {
    let text = try resolve {
      $0.name == "Bam" && $0.population > 1_000 && $0.population < 9_000 && $0.elevation >= 1.5
        && $0.country.name.hasPrefix("I") && $0.kind == .port && !($0.isWalled == true)
        && $0.nickname != nil
    }
    #expect(
      text == "name == && population > && population < && elevation >= && country.name prefix && "
        + "kind == && !(isWalled ==) && !(nickname == nil)")
  }

  @Test func `about collections and calculations is type-checked without help`() throws {
    let text = try resolve { city in
      city.country.cities.count > 3 && city.population * 2 + 1 > 7 && city.name.isLike("B*")
        && city.country.cities.any { $0.population > 5 && $0.name.hasPrefix("B") }
        && city.country.cities.all { $0.elevation < 1.5 || $0.population > city.population }
        && city.country.cities.filter { $0.isWalled == true }.sum { $0.population } < 100
        && city.country.cities.max { $0.rank } != nil && city.twins.isEmpty
    }
    #expect(
      text
        == "country.cities.count > a number && ((population * a number) + a number) > a number && "
        + "name like && any country.cities(population > && name prefix) && "
        + "!(any country.cities(!((elevation < || population > population)))) && "
        + "country.cities{isWalled ==}.sum(population) < a number && "
        + "!(country.cities.max(rank) == nil) && twins.count == a number")
  }

  @Test func `may be put together from either end, however long`() throws {
    let world = try World()
    let one = FetchPredicate(
      Comparison(PropertyPath<City, City>().rank.operand, .greater, Constant(.int(1))))
    var (left, right, either) = (one, one, one)
    for _ in 0..<5_000 { (left, right, either) = (left && one, one && right, one || either) }
    let resolver = PathResolver(schema: world.schema, entity: world.city)
    for predicate in [left, right, either] {
      let text = try predicate.node.resolved(by: resolver).description
      #expect(text.split(separator: "rank").count > 5_000)
    }
  }

  @Test func `compares a property that always has a value with an optional one`() throws {
    let (population, name, rank): (Int?, String?, Int16?) = (5, "Bam", 2)
    #expect(try resolve { $0.population == population } == "population ==")
    #expect(try resolve { $0.name != name && $0.elevation > 1 } == "!(name ==) && elevation >")
    let (noPopulation, noName): (Int?, String?) = (nil, nil)
    #expect(try resolve { $0.population == noPopulation } == "population == nil")
    #expect(try resolve { $0.name != noName } == "!(name == nil)")
    // As optional properties were compared before.
    #expect(try resolve { $0.nickname == name && $0.rank == rank } == "nickname == && rank ==")
  }

  @Test func `goes on through an optional relationship with a plain dot`() throws {
    #expect(try resolve { $0.country.motto == "ora et labora" } == "country.motto ==")
    #expect(try resolve { $0.country.name == nil } == "country.name == nil")
  }

  @Test func `takes the collections and ranges of Swift`() throws {
    let names = ["Bam", "Qom"]
    #expect(try resolve { names.contains($0.name) } == "name in")
    #expect(try resolve { names.contains($0.nickname) } == "nickname in")
    #expect(try resolve { Set([1, 2]).contains($0.population) } == "population in")
    #expect(try resolve { (1...10).contains($0.population) } == "population >= && population <=")
    #expect(try resolve { ("a"..<"b").contains($0.nickname) } == "nickname >= && nickname <")
    #expect(try resolve { $0.rank.isIn([1, 2]) } == "rank in")
  }

  @Test func `is about stored properties alone`() throws {
    let unknown = #expect(throws: QueryError.self) { try resolve { $0.slogan == "x" } }
    guard case .unknownProperty("City", _) = unknown else {
      Issue.record("a computed property gave \(String(describing: unknown))")
      return
    }
    #expect(throws: QueryError.transientProperty(entity: "City", property: "note")) {
      try resolve { $0.note == "x" }
    }
    #expect(throws: QueryError.toManyProperty(entity: "Country", property: "cities")) {
      try resolve { $0.country.cities == nil }
    }
  }

  @Test func `knows inherited properties by the subclass's key paths`() throws {
    let world = try World()
    let request = FetchRequest<Capital>().where { $0.name == "Bam" && $0.embassies > 3 }
    let plan = try QueryPlan(request, entity: world.capital, schema: world.schema)
    #expect(plan.description == "Capital: index on name (values); filter: embassies >; in order")
  }

  @Test func `made by hand of the wrong type is refused`() throws {
    let world = try World()
    let path = PropertyPath<City, City>().population.operand
    let wrong = FetchRequest<City>(
      FetchPredicate(Comparison(path, .equal, Constant(.string("many")))))
    #expect(
      throws: QueryError.mismatchedType(entity: "City", property: "population", type: .int64)
    ) { try QueryPlan(wrong, entity: world.city, schema: world.schema) }
    let text = FetchRequest<City>(
      FetchPredicate(TextMatch(path, .prefix, Constant(.string("1")))))
    #expect(throws: QueryError.unfitProperty(entity: "City", property: "population")) {
      try QueryPlan(text, entity: world.city, schema: world.schema)
    }
  }

  @Test func `finds objects by their IDs`() throws {
    let world = try World()
    let keys = (0..<3).map { _ in world.newKey(world.city) }
    for key in keys { world.put(CityValue(name: "Bam"), at: key) }
    world.save()
    let ids = [world.id(keys[0]), world.id(keys[2])]
    let foreign = ObjectID(store: StoreIdentity(UUID()), key: keys[1])
    for (request, expected) in [
      (FetchRequest<City>().where { $0.isIn(ids + [foreign]) }, [keys[0], keys[2]]),
      (FetchRequest<City>().where { $0 == ids[1] }, [keys[2]]),
      (FetchRequest<City>().where { $0 != ids[1] }, [keys[0], keys[1]]),
      (FetchRequest<City>().where { $0 == foreign }, []),
    ] {
      let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
      let found = try plan.fetch(in: world.view().view)
      #expect(found.map(\.key) == expected)
    }
  }

  @Test func `cannot be led to objects of another store`() throws {
    let world = try World()
    let key = world.newKey(world.country)
    world.put(CityValue(name: "Bam", country: key), at: world.newKey(world.city))
    world.save()
    let foreign = ObjectID(store: StoreIdentity(UUID()), key: key)
    let plan = try QueryPlan(
      FetchRequest<City>().where { $0.country == foreign }, entity: world.city, schema: world.schema
    )
    #expect(try plan.fetchKeys(in: world.view().view).isEmpty)
  }
}
