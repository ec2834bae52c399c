// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of the guide Fetching.md, between `begin` and `end`; that page has the same code.
@Suite struct `The patterns of the fetching guide` {
  /// A context with Iran, its cities, and a city of no country.
  private func world() throws -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: try geography().coordinator)
    let iran = Country(context: context)
    (iran.iso, iran.name) = ("IR", "Iran")
    for (name, population) in [("Tehran", 9_000_000), ("Shiraz", 1_500_000), ("Lavāsān", 18_000)] {
      context.city(name, population: population).country = iran
    }
    context.city("Bam", population: 127_000)
    return context
  }

  @Test func `finds objects by a condition, in an order`() throws {
    let context = try world()
    // begin requests
    let large = City.where { $0.population > 1_000_000 && $0.country.iso == "IR" }
      .sorted(by: \.population, order: .reverse).sorted(by: \.name)
      .limit(10)
    for city in try context.fetch(large) { print(city.name) }
    let count = try context.count(large)
    let first = try context.first(large)
    let ids = try context.fetchIDs(large)  // Sendable, and no object is loaded
    // end requests
    #expect(count == 2 && first?.name == "Tehran" && ids.count == 2)
  }

  @Test func `compares values, texts, relationships and collections`() throws {
    let context = try world()
    let iran = try #require(try context.first(Country.all))
    // begin predicates
    let named = City.where {
      $0.name.contains("lavasan", options: [.caseInsensitive, .diacriticInsensitive])
    }
    let either = City.where {
      ["Bam", "Qom"].contains($0.name) || (1...500).contains($0.population)
    }
    let homeless = City.where { $0.country == nil }
    let iranian = City.where { $0.country == iran }
    let seats = Country.where { $0.cities.any { $0.population > 1_000_000 } }
    let crowded = Country.where {
      $0.cities.count > 100 || $0.cities.sum { $0.population } > 50_000_000
    }
    let dynamic = FetchRequest<City>(try FetchPredicate(format: "population > %d", 500))
    // end predicates
    let names = try [named, either, homeless, iranian, dynamic].map { request in
      try context.fetch(request.sorted(by: \.name)).map(\.name)
    }
    #expect(
      names == [
        ["Lavāsān"], ["Bam"], ["Bam"], ["Lavāsān", "Shiraz", "Tehran"],
        ["Bam", "Lavāsān", "Shiraz", "Tehran"],
      ])
    #expect(try context.count(seats) == 1)
    #expect(try context.count(crowded) == 0)
  }

  @Test func `sorts by values, along relationships and by counts`() throws {
    let context = try world()
    // begin orders
    let byCountry = City.all.sorted(by: \.country?.name).sorted(by: \.name)
    let bySize = Country.all.sorted(by: { $0.cities.count }, order: .reverse)
    // end orders
    let names = try context.fetch(byCountry).map(\.name)
    #expect(names == ["Bam", "Lavāsān", "Shiraz", "Tehran"])
    #expect(try context.fetch(bySize).map(\.name) == ["Iran"])
  }

  @Test func `fetches rows, groups and aggregates without objects`() throws {
    let context = try world()
    // begin rows
    let names = try context.fetch(City.all.select(\.name, \.population))  // [(String, Int)]
    let byCountry = City.where { $0.population > 0 }
      .select { ($0.country.name, $0.rowCount(), $0.population.sum()) }
      .grouped { $0.country.name }
      .having { $0.rowCount() > 1 }
      .sorted(by: { $0.population.sum() }, order: .reverse)
      .limit(5)
    for (country, cities, people) in try context.fetch(byCountry) {
      print(country ?? "no country", cities, people)
    }
    let people = try context.sum(City.all, of: \.population)
    let most = try context.maximum(City.all, of: \.population)
    // end rows
    #expect(names.count == 4 && people == 10_645_000 && most == 9_000_000)
    let groups = try context.fetch(byCountry)
    #expect(groups.count == 1 && groups[0] == ("Iran", 3, 10_518_000))
    // begin named-rows
    let table = City.all.select("country.name", .count(), .sum("population", as: "people"))
      .grouped(by: "country.name").sorted(by: "people", order: .reverse)
    for row in try context.fetch(table) {
      print(row["country.name"] ?? .null, row["people"] ?? .null)
    }
    // end named-rows
    #expect(try context.fetch(table).map { $0["people"] } == [.int(10_518_000), .int(127_000)])
  }

  @Test func `finds an object or inserts it`() throws {
    let context = try world()
    // begin upsert
    let iran = try context.upsert(Country.self, matching: \.iso, equals: "IR") { $0.name = "Iran" }
    let rows = [(code: "IQ", name: "Iraq"), (code: "TR", name: "Türkiye")]
    try context.upsert(
      Country.self, from: rows, matching: \.iso, by: { $0.code },
      with: { country, row in country.name = row.name })
    // end upsert
    #expect(iran.cities.count == 3)
    #expect(try context.count(Country.all) == 3)
  }

  @Test func `follows changes with a list`() throws {
    let context = try world()
    let printer = Printer()
    // begin list
    let list = FetchedResultsController(
      City.all.sorted(by: \.name), context: context, sectionNameKeyPath: { $0.country.name })
    list.delegate = printer
    try list.performFetch()
    for section in list.sections {
      print(section.name ?? "no country", section.objects.map(\.name))
    }
    // end list
    #expect(list.sections.map(\.name) == [nil, "Iran"])
  }
}

// begin delegate
final class Printer: FetchedResultsControllerDelegate {
  func controller(
    _ controller: FetchedResultsController<City>,
    didChangeContentWith difference: FetchedResultsDifference
  ) {
    print(difference.insertions.count, "new,", difference.deletions.count, "gone")
  }
}
// end delegate

extension `The patterns of the fetching guide` {
  @Test func `follows changes with values`() async throws {
    let coordinator = try geography().coordinator
    let saver = ContextQueue(parent: coordinator)
    for name in ["Bam", "Qom"] {
      try await saver.perform { context in
        context.city(name, population: name == "Bam" ? 1 : 2_000_000)
        context.city("great \(name)", population: 3_000_000)
        try context.save()
      }
    }
    // begin values
    let giants = City.where { $0.population > 1_000_000 }.sorted(by: \.name).select(\.name)
    for try await names in coordinator.values(of: giants) {
      print(names)
      if names.count > 1 { break }
    }
    // end values
    #expect(try await coordinator.fetch(giants) == ["Qom", "great Bam", "great Qom"])
  }
}
