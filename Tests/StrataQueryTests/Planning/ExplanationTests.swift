// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import Testing

/// 1,000 cities, saved: city n is called "c<n>", has n people, is in country n % 10 of ten, which
/// are called "k0" to "k9", and is the twin of its successor if n is a multiple of 100.
private struct Scene {
  let world: World
  let countries: [ObjectKey]
  let cities: [ObjectKey]

  init() throws {
    let world = try World()
    countries = (0..<10).map { index in
      let key = world.newKey(world.country)
      world.put(CountryValue(name: "k\(index)"), at: key)
      return key
    }
    let countries = countries
    cities = (0..<1_000).map { index in
      let key = world.newKey(world.city)
      world.put(
        CityValue(
          name: "c\(index)", population: index, rank: Int16(index % 7),
          isWalled: index % 2 == 0, country: countries[index % 10]), at: key)
      return key
    }
    for index in stride(from: 0, to: 1_000, by: 100) {
      world.setTwins(cities[index], cities[index + 1], true)
    }
    world.save()
    self.world = world
  }

  /// Explains the request, and compares its counts with those of the store.
  func explain(
    _ request: FetchRequest<City>, for answer: QueryExplanation.Answer = .objects,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> QueryExplanation {
    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    let (view, store) = world.view()
    let explanation = try plan.explanation(of: answer, in: view)
    #expect(
      explanation.recordsRead == store.recordReadCount + store.recordScanCount,
      sourceLocation: location)
    #expect(
      explanation.entriesRead
        == store.entryScanCount + store.keyScanCount + store.linkScanCount,
      sourceLocation: location)
    return explanation
  }

  func text(
    _ request: FetchRequest<City>, for answer: QueryExplanation.Answer = .objects,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> String {
    try explain(request, for: answer, location).description
  }
}

@Suite struct `An explanation` {
  private let scene: Scene
  private let all = FetchRequest<City>()

  init() throws { scene = try Scene() }

  @Test func `counts reads and results`() throws {
    #expect(
      try scene.text(all.where { $0.population.isIn(10..<20) && $0.rank == 3 }) == """
        City, objects: 2 returned; 10 index entries and 10 records read
        filter: rank ==
          index: population (range): 10 found
        """)
    #expect(
      try scene.text(all.where { $0.rank == 3 }.sorted(by: \.rank)) == """
        City, objects: 143 returned; 0 index entries and 1000 records read
        filter: rank ==
          records: City: 1000 found
        """)
  }

  @Test func `is the same as JSON`() throws {
    let explanation = try scene.explain(all.where { $0.name == "c7" }, for: .ids)
    let json = try explanation.json
    #expect(
      json == """
        {
          "answer" : "ids",
          "entity" : "City",
          "entriesRead" : 1,
          "plan" : {
            "detail" : "name (values), in order",
            "entriesRead" : 1,
            "found" : 1,
            "inputs" : [

            ],
            "kind" : "index",
            "outcome" : "done",
            "recordsRead" : 0
          },
          "recordsRead" : 0,
          "rowsReturned" : 1
        }
        """)
    let decoded = try JSONDecoder().decode(QueryExplanation.self, from: Data(json.utf8))
    #expect(decoded == explanation)
  }

  @Test func `does not show the values that are asked for`() throws {
    let request = all.where {
      ($0.name == "secret" || $0.country.name == "secret") && $0.nickname.hasPrefix("secret")
    }
    #expect(try !scene.text(request).contains("secret"))
    #expect(try !scene.explain(request).json.contains("secret"))
  }

  @Test func `reports skipped tests`() throws {
    let most = all.where { $0.population >= 100 && $0.rank == 3 }
    #expect(
      try scene.text(most) == """
        City, objects: 129 returned; 257 index entries and 1000 records read
        filter: population >= && rank ==
          records: City: 1000 found
            index: population (open range): given up after 257 entries
        """)
  }

  // MARK: - Objects by themselves

  @Test func `looks up objects that are named`() throws {
    let id = scene.world.id(scene.cities[3])
    #expect(
      try scene.text(all.where { $0 == id }) == """
        City, objects: 1 returned; 0 index entries and 1 records read
        objects: 1 found
        """)
    let ids = [9, 2, 5].map { scene.world.id(scene.cities[$0]) }
    #expect(
      try scene.text(all.where { $0.isIn(ids) && $0.rank == 2 }.sorted(by: \.name)) == """
        City, objects: 2 returned; 0 index entries and 3 records read
        sort: name
          filter: rank ==
            objects: 3 found
        """)
  }

  // MARK: - Several indexes

  @Test func `unites the results of alternatives`() throws {
    #expect(
      try scene.text(all.where { $0.name == "c7" || $0.population.isIn(20..<25) }) == """
        City, objects: 6 returned; 6 index entries and 6 records read
        union: 6 found
          index: name (values): 1 found
          index: population (range): 5 found
        """)
    let id = scene.world.id(scene.cities[3])
    #expect(
      try scene.text(
        all.where { $0 == id || ($0.name == "c7" && $0.rank == 3) }, for: .count) == """
          City, count: 1 returned; 1 index entries and 2 records read
          filter: (self == || name == && rank ==)
            union: 2 found
              objects: 1 found
              index: name (values): 1 found
          """)
  }

  @Test func `intersects two indexes if no record needs to be read`() throws {
    let id = scene.world.id(scene.countries[4])
    let request = all.where { $0.name.hasPrefix("c1") && $0.population.isIn(0..<150) }
    #expect(
      try scene.text(request, for: .count) == """
        City, count: 61 returned; 261 index entries and 0 records read
        intersection: 61 found
          index: name (prefix): 111 found
          index: population (range): 150 found
        """)
    // The country's index has the population as its second part.
    #expect(
      try scene.text(
        all.where { $0.country == id && $0.population.isIn(0..<100) }, for: .ids) == """
          City, ids: 10 returned; 10 index entries and 0 records read
          index: country, population (values, range): 10 found
          """)
  }

  @Test func `gives up an index that has much more than the first`() throws {
    #expect(
      try scene.text(
        all.where { $0.name.hasPrefix("c11") && $0.population.isIn(0..<900) }) == """
          City, objects: 11 returned; 56 index entries and 11 records read
          intersection: 11 found
            index: name (prefix): 11 found
            index: population (range): given up after 45 entries
          """)
  }

  // MARK: - Compound indexes

  @Test func `uses an index over several as far as its parts are bound`() throws {
    let id = scene.world.id(scene.countries[4])
    #expect(
      try scene.text(all.where { $0.country == id && $0.name.hasPrefix("c11") }) == """
        City, objects: 1 returned; 1 index entries and 1 records read
        index: country, name (values, prefix): 1 found
        """)
    #expect(
      try scene.text(
        all.where { $0.isWalled == true && $0.rank.isIn([1, 2]) && $0.nickname == nil },
        for: .count) == """
          City, count: 143 returned; 143 index entries and 0 records read
          index: isWalled, rank, nickname (values, values, values): 143 found
          """)
  }

  @Test func `walks an index over several in the order of its later parts`() throws {
    let id = scene.world.id(scene.countries[4])
    let request = all.where { $0.country == id }.sorted(by: \.population, order: .reverse)
    #expect(
      try scene.text(request.limit(3)) == """
        City, objects: 3 returned; 4 index entries and 3 records read
        window: limit 3
          index: country, population (values), in reverse order: 4 found
        """)
    // A key with one value for all objects is ignored.
    #expect(
      try scene.text(
        all.where { $0.isWalled == true && $0.rank == 2 }
          .sorted(by: \.isWalled).sorted(by: \.nickname).limit(2)) == """
          City, objects: 2 returned; 2 index entries and 2 records read
          window: limit 2
            index: isWalled, rank, nickname (values, values), in order: 2 found
          """)
  }

  // MARK: - Relationships

  @Test func `follows a relationship from its other end`() throws {
    #expect(
      try scene.text(all.where { $0.country.name == "k3" }, for: .count) == """
        City, count: 100 returned; 101 index entries and 0 records read
        relationship: City.country: 100 found
          index: name (values): 1 found
        """)
    let id = scene.world.id(scene.countries[3])
    #expect(
      try scene.text(all.where { $0.country == id }, for: .count) == """
        City, count: 100 returned; 100 index entries and 0 records read
        index: country (values), in order: 100 found
        """)
  }

  @Test func `goes from members to those that have them`() throws {
    #expect(
      try scene.text(all.where { $0.twins.any { $0.name == "c100" } }) == """
        City, objects: 1 returned; 2 index entries and 1 records read
        relationship: City.twins: 1 found
          index: name (values): 1 found
        """)
    #expect(
      try scene.text(all.where { $0.country.cities.any { $0.name == "c100" } }, for: .ids) == """
        City, ids: 100 returned; 101 index entries and 1 records read
        relationship: City.country: 100 found
          relationship: targets of City.country: 1 found
            index: name (values): 1 found
        """)
  }

  // MARK: - Windows

  @Test func `skips the objects before the offset`() throws {
    #expect(
      try scene.text(all.sorted(by: \.population).offset(900).limit(5)) == """
        City, objects: 5 returned; 905 index entries and 5 records read
        window: offset 900, limit 5
          index: population, in order: 905 found
        """)
    #expect(
      try scene.text(all.sorted(by: \.population, order: .reverse).offset(900).limit(5)) == """
        City, objects: 5 returned; 906 index entries and 5 records read
        window: offset 900, limit 5
          index: population, in reverse order: 906 found
        """)
    #expect(
      try scene.text(all.offset(900).limit(5)) == """
        City, objects: 5 returned; 905 index entries and 5 records read
        window: offset 900, limit 5
          records: City: 905 found
        """)
  }

  @Test func `takes the first of many that have one value without the others`() throws {
    let world = scene.world
    let keys = (0..<500).map { _ in
      let key = world.newKey(world.city)
      world.put(CityValue(population: 5_000), at: key)
      return key
    }
    for _ in 0..<300 { world.put(CityValue(), at: world.newKey(world.city)) }
    world.save()
    let request = all.sorted(by: \.population, order: .reverse).offset(3).limit(2)
    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    #expect(try plan.fetchKeys(in: world.view().view) == Array(keys[3...4]))
    // 65 until it is clear that there are many, 5 from the other side, and one to see that there
    // are objects whose population was never set.
    #expect(
      try scene.text(request) == """
        City, objects: 2 returned; 71 index entries and 2 records read
        window: offset 3, limit 2
          index: population, in reverse order: 71 found
        """)
    // Those read as 0, which one has, and come among the first.
    #expect(
      try scene.text(all.sorted(by: \.population).limit(2)) == """
        City, objects: 2 returned; 4 index entries and 2 records read
        window: limit 2
          index: population, in order: 4 found
        """)
  }

  @Test func `needs no record to count and to find IDs`() throws {
    #expect(
      try scene.text(all.where { $0.nickname != nil }, for: .count) == """
        City, count: 0 returned; 0 index entries and 0 records read
        index: nickname (most): 0 found
        """)
    #expect(
      try scene.text(all.where { $0.name.hasPrefix("c1") }, for: .count) == """
        City, count: 111 returned; 111 index entries and 0 records read
        index: name (prefix): 111 found
        """)
    #expect(
      try scene.text(all.where { $0.population >= 100 }.limit(7), for: .count) == """
        City, count: 7 returned; 7 index entries and 0 records read
        window: limit 7
          index: population (open range): 7 found
        """)
    #expect(
      try scene.text(all, for: .count) == """
        City, count: 1000 returned; 0 index entries and 0 records read
        count: City
        """)
  }

  @Test func `asks a record only where the index cannot tell`() throws {
    for name in ["Bam", "Ba", "Ba\u{302}", "Bax\u{302}"] {
      scene.world.put(CityValue(name: name), at: scene.world.newKey(scene.world.city))
    }
    scene.world.save()
    #expect(
      try scene.text(all.where { $0.name.hasPrefix("Ba") }, for: .count) == """
        City, count: 3 returned; 3 index entries and 0 records read
        index: name (prefix): 3 found
        """)
    #expect(
      try scene.text(all.where { $0.name.hasPrefix("Bax") }, for: .count) == """
        City, count: 0 returned; 1 index entries and 1 records read
        index: name (prefix): 0 found
        """)
  }
}
