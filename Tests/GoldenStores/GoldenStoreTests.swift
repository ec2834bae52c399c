// SPDX-License-Identifier: Apache-2.0
import Foundation
import GoldenModels
import Strata
import StrataTestSupport
import Testing

/// The golden stores; a test works on a copy.
private let stores = ["format-2", "format-4", "format-5", "format-7", "format-8", "format-9"]

/// Those with a history.
private let recordedStores = ["format-4", "format-5", "format-7", "format-8", "format-9"]

private func copy(of store: String, in folder: TemporaryDirectory) throws -> URL {
  let source = try #require(
    Bundle.module.url(forResource: store, withExtension: "strata", subdirectory: "Stores"))
  let copy = folder.file(store)
  try FileManager.default.copyItem(at: source, to: copy)
  return copy
}

/// Where the package manager put `GoldenMigration` and this test.
private var products: URL {
  #if os(macOS)
    let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
    return tests.bundleURL.deletingLastPathComponent()
  #else
    return Bundle.main.bundleURL
  #endif
}

private let continents = ["AF": 41, "AN": 0, "AS": 197, "EU": 16, "NA": 19, "OC": 4, "SA": 23]
private let largest = ["Shanghai", "Beijing", "Shenzhen", "Guangzhou", "Kinshasa"]

@Suite struct `A golden store` {
  @Test(arguments: stores)
  func `opens with the model that it was made with`(store: String) throws {
    typealias City = Made.City
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Made.model(), durability: .none)
    try container.root.performAndWait { context in
      #expect(try context.count(Made.Country.all) == 252)
      #expect(try context.count(Made.Language.all) == 508)
      #expect(try context.count(Made.Timezone.all) == 91)
      let cities = try context.fetch(City.all.sorted(by: \.population, order: .reverse))
      #expect(cities.prefix(5).map(\.name) == largest)
      #expect(cities.count == 300)
      for continent in try context.fetch(Made.Continent.all) {
        let count = continent.countries.reduce(0) { $0 + $1.cities.count }
        #expect(count == continents[continent.code])
      }
      #expect(try context.count(City.where { $0.population >= 16_000_000 }) == 5)
      for city in cities { city.population += 1 }
      try context.save()
      #expect(try context.count(City.where { $0.population == 24_874_501 }) == 1)
    }
  }

  @Test(arguments: stores)
  func `opens with a second version of its program, by a staged migration`(store: String) throws {
    typealias City = Staged.City
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(
      at: url, model: Staged.model(), migratingWith: Staged.plan(), durability: .none)
    try container.root.performAndWait { context in
      let cities = try context.fetch(City.all.sorted(by: \.population, order: .reverse))
      #expect(cities.count == 300 && cities.prefix(5).map(\.title) == largest)
      #expect(cities[0].population == 24_874_500)
      #expect(try context.count(City.where { $0.review == "unchecked" }) == 300)
      #expect(cities[0].timezone?.place == "Shanghai" && cities[0].timezone?.area?.name == "Asia")
      #expect(try context.count(Staged.Timezone.all) == 91)
      let areas = try context.fetch(Staged.Area.all.sorted(by: \.name))
      #expect(areas.map(\.name) == ["Africa", "America", "Asia", "Australia", "Europe"])
      #expect(areas.reduce(0) { $0 + $1.timezones.count } == 91)
      for continent in try context.fetch(Staged.Continent.all) {
        let count = continent.countries.reduce(0) { $0 + $1.cities.count }
        #expect(count == continents[continent.code])
      }
    }
  }

  @Test(arguments: stores)
  func `finds words of its names, with the model that has an index of them`(store: String) throws {
    typealias City = Searched.City
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Searched.model(), durability: .none)
    #expect(try container.coordinator.metadata().formatVersion == 9)
    try container.root.performAndWait { context in
      let found = City.where { $0.name.contains(words: "são") }.sorted(by: \.name)
      let names = try context.fetch(found).map(\.name)
      #expect(names == ["São Paulo"])
      let countries = Searched.Country.where { $0.name.contains(words: "republic of") }
        .sorted(byRelevanceOf: \.name, to: "republic of")
      let best = try context.fetch(countries).map(\.name)
      #expect(best == ["Republic of the Congo", "Democratic Republic of the Congo"])
    }
  }

  /// Tests/GoldenMigration/check.sh does this with a larger store, and more often.
  @Test(arguments: stores)
  func `has one of its two versions after each kill of the migration`(store: String) throws {
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let process = Process()
    process.executableURL = products.appendingPathComponent("GoldenMigration")
    process.arguments = [url.path, "kill", "3", "\(SeededGenerator.firstSeed() % 1_000_000)"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test(arguments: stores)
  func `opens with a changed model, and shows the same facts`(store: String) throws {
    typealias City = Changed.City
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Changed.model(), durability: .none)
    try container.root.performAndWait { context in
      #expect(try context.count(Changed.Country.all) == 252)
      #expect(try context.count(Changed.Tongue.all) == 508)
      let cities = try context.fetch(City.all.sorted(by: \.population, order: .reverse))
      #expect(cities.prefix(5).map(\.title) == largest)
      #expect(cities.count == 300)
      #expect(cities.allSatisfy { $0.rank == 7 && $0.timezone != nil && $0.sights.isEmpty })
      for continent in try context.fetch(Changed.Continent.all) {
        let count = continent.countries.reduce(0) { $0 + $1.cities.count }
        #expect(count == continents[continent.code])
      }
      #expect(try context.count(City.where { $0.rank == 7 }) == 300)
      #expect(try context.count(City.where { $0.title == "Lagos" }) == 1)
      #expect(try context.count(Changed.Country.where { $0.population > 1_000_000_000 }) == 2)
      let pairs = try context.fetch(Changed.Country.all).reduce(0) { $0 + $1.neighbours.count }
      #expect(pairs == 2 * 331)
      let switzerland = try #require(
        try context.fetch(Changed.Country.where { $0.iso == "CH" }).first)
      #expect(Set(switzerland.languages.map(\.code)) == ["de-CH", "fr-CH", "it-CH", "rm"])
    }
  }

  @Test(arguments: stores)
  func `takes the changes of a changed model`(store: String) throws {
    typealias City = Changed.City
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    try PersistentContainer(at: url, model: Changed.model(), durability: .none).root
      .performAndWait { context in
        for city in try context.fetch(City.all) {
          if city.geonameID.isMultiple(of: 2) { city.population = nil }
          city.rank = city.geonameID % 5
          let sight = Changed.Sight(context: context)
          sight.name = "the old town of \(city.title)"
          sight.city = city
        }
        try context.save()
      }
    let container = try PersistentContainer(at: url, model: Changed.model(), durability: .none)
    try container.root.performAndWait { context in
      let cities = try context.fetch(City.all)
      #expect(cities.count == 300)
      for city in cities {
        #expect((city.population == nil) == city.geonameID.isMultiple(of: 2))
        #expect(city.rank == city.geonameID % 5)
        #expect(city.sights.map(\.name) == ["the old town of \(city.title)"])
      }
      for rank in 0..<5 {
        let count = try context.count(City.where { $0.rank == rank })
        #expect(count == cities.count { $0.rank == rank })
      }
    }
  }
}

@Suite struct `The history of a golden store` {
  /// Each transaction as "author kind entity properties values"; equal changes once.
  private func texts(of container: PersistentContainer) throws -> [[String]] {
    let transactions = try container.coordinator.fetchHistory(HistoryRequest())
    return transactions.map { transaction in
      let author = transaction.author ?? "nobody"
      let changes = transaction.changes.map { change in
        "\(author) \(change.kind) \(change.objectID.entityName ?? "") \(change.updatedProperties)"
          + (change.tombstone.isEmpty ? "" : " \(change.tombstone.sorted { $0.key < $1.key })")
      }
      return Set(changes).sorted()
    }
  }

  @Test(arguments: recordedStores)
  func `is read with the model that it was made with`(store: String) throws {
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Made.model(), durability: .none)
    #expect(
      try texts(of: container) == [
        ["golden insert City []", #"golden update City ["population"]"#],
        [#"golden update City ["population"]"#],
        [
          #"nobody delete City [] [(key: "admin1Code", value: StrataModel.PropertyValue.null), "#
            + #"(key: "name", value: StrataModel.PropertyValue.string("Nowhere"))]"#
        ],
      ])
    let status = try #require(try container.coordinator.historyStatus())
    #expect(Array(status.consumers.keys) == ["index"] && status.retention.maximumAge == nil)
    let rest = try container.coordinator.fetchHistory(
      HistoryRequest(after: status.consumers["index"]))
    #expect(rest.count == 2)
  }

  @Test(arguments: recordedStores)
  func `is read with a changed model, by the names of that`(store: String) throws {
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Changed.model(), durability: .none)
    #expect(
      try texts(of: container).last == [
        #"nobody delete City [] [(key: "admin1Code", value: StrataModel.PropertyValue.null), "#
          + #"(key: "title", value: StrataModel.PropertyValue.string("Nowhere"))]"#
      ])
  }

  @Test(arguments: recordedStores)
  func `goes on, and its tokens stay valid when their transactions are deleted`(
    store: String
  ) async throws {
    let folder = try TemporaryDirectory()
    let url = try copy(of: store, in: folder)
    let container = try PersistentContainer(at: url, model: Made.model(), durability: .none)
    let tokens = try container.coordinator.fetchHistory(HistoryRequest()).map(\.token)
    try await container.root.perform { context in
      for city in try context.fetch(Made.City.all.limit(1)) { city.population += 1 }
      try context.save()
    }
    try await container.coordinator.deleteHistory(through: tokens[1])
    for (index, token) in tokens.enumerated().dropFirst() {
      let rest = try container.coordinator.fetchHistory(HistoryRequest(after: token))
      #expect(rest.count == 3 - index)
    }
  }
}
