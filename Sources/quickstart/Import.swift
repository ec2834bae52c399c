// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// The import of a folder of tables into a store, in a background context.
///
/// Each batch of rows is one block on the worker's queue. The block ends with a save to the root,
/// which is atomic, stays in memory, and is visible to the view context at once. The root saves to
/// the disk after several batches.
///
/// Existing objects are found by their unique attribute and updated from the table. Setting an
/// equal value is not a change, so importing the same tables again saves nothing.
struct Import: Sendable {
  /// The number of rows in a batch.
  private static let batchRowCount = 1_000
  /// The number of batches after which the root saves to the disk.
  private static let batchesPerDurableSave = 20

  private let root: ContextQueue
  private let worker: ContextQueue
  private let folder: URL

  init(of folder: URL, into container: PersistentContainer) {
    root = container.root
    worker = container.newBackgroundContext()
    self.folder = folder
  }

  /// Imports all tables, outside of the caller's actor.
  ///
  /// - Returns: the number of inserted objects.
  /// - Throws: `QuickstartError` for a table that is missing or malformed. The store then has all
  ///   batches before the malformed line's batch, and no part of that batch.
  @concurrent func run() async throws -> Int {
    let insertedCount: Int
    do {
      insertedCount = try await importTables()
    } catch let error as QuickstartError {
      try await root.save()
      throw error
    }
    try await root.save()
    return insertedCount
  }

  private func importTables() async throws -> Int {
    // All tables are opened first, so that a missing file is found before any work is done.
    var continents = try Table("continents.tsv", in: folder, columns: "code", "name")
    var countries = try Table(
      "countries.tsv", in: folder,
      columns: "iso", "iso3", "isonumeric", "name", "capital", "areakm2", "population",
      "continentcode", "currencycode", "currencyname", "languages", "neighbours")
    var cities = try Table(
      "cities.tsv", in: folder,
      columns: "geonameid", "name", "latitude", "longitude", "countrycode", "population",
      "timezone", "admin1code")

    var insertedCount = 0
    if let rows = try continents.nextRows(.max) {
      insertedCount += try await worker.perform { try importContinents(rows, into: $0) }
    }
    // Countries refer to each other as neighbours, so they form one batch.
    if let rows = try countries.nextRows(.max) {
      insertedCount += try await worker.perform { try importCountries(rows, into: $0) }
    }
    var progress = ProgressBar("cities")
    defer { progress.finish() }
    var batchCount = 0
    while let rows = try cities.nextRows(Self.batchRowCount) {
      insertedCount += try await worker.perform { try importCities(rows, into: $0) }
      batchCount += 1
      if batchCount.isMultiple(of: Self.batchesPerDurableSave) { try await root.save() }
      progress.show(cities.fractionRead)
    }
    return insertedCount
  }
}

// MARK: - Batches

private func importContinents(_ rows: [Row], into context: ManagedObjectContext) throws -> Int {
  var continents = try context.fetch(Continent.all).keyed(by: \.code)
  for row in rows {
    let code = row["code"]
    let continent = continents[code] ?? Continent(context: context)
    continents[code] = continent
    continent.code = code
    continent.name = row["name"]
  }
  return try saveBatch(context)
}

private func importCountries(_ rows: [Row], into context: ManagedObjectContext) throws -> Int {
  let continents = try context.fetch(Continent.all).keyed(by: \.code)
  var countries = try context.fetch(Country.all).keyed(by: \.iso)
  var languages = try context.fetch(Language.all).keyed(by: \.code)
  for row in rows {
    let iso = row["iso"]
    let country = countries[iso] ?? Country(context: context)
    countries[iso] = country
    country.iso = iso
    country.name = row["name"]
    country.iso3 = row["iso3"]
    country.isoNumeric = try row.integer("isonumeric")
    country.capital = row.optional("capital")
    country.areaKm2 = try row.number("areakm2")
    country.population = try row.integer("population")
    country.currencyCode = row.optional("currencycode")
    country.currencyName = row.optional("currencyname")
    guard let continent = continents[row["continentcode"]] else {
      throw row.malformed("unknown continent \(row["continentcode"])")
    }
    country.continent = continent
    for code in row.list("languages") {
      let language = languages[code] ?? Language(context: context)
      languages[code] = language
      language.code = code
      country.languages.insert(language)
    }
  }
  for row in rows {
    for iso in row.list("neighbours") {
      guard let neighbour = countries[iso] else {
        throw row.malformed("unknown neighbour \(iso)")
      }
      // The relationship is symmetric, so the country also becomes a neighbour of its neighbour.
      countries[row["iso"]]?.neighbours.insert(neighbour)
    }
  }
  return try saveBatch(context)
}

private func importCities(_ rows: [Row], into context: ManagedObjectContext) throws -> Int {
  let ids = try rows.map { row in try row.integer("geonameid") }
  var cities = try context.fetch(City.where { ids.contains($0.geonameID) }).keyed(by: \.geonameID)
  let countries = try context.fetch(Country.all).keyed(by: \.iso)
  var timezones = try context.fetch(Timezone.all).keyed(by: \.name)
  for (row, id) in zip(rows, ids) {
    let city = cities[id] ?? City(context: context)
    cities[id] = city
    city.geonameID = id
    city.name = row["name"]
    city.latitude = try row.number("latitude")
    city.longitude = try row.number("longitude")
    city.population = try row.integer("population")
    city.admin1Code = row.optional("admin1code")
    guard let country = countries[row["countrycode"]] else {
      throw row.malformed("unknown country \(row["countrycode"])")
    }
    city.country = country
    let timezone = timezones[row["timezone"]] ?? Timezone(context: context)
    timezones[row["timezone"]] = timezone
    timezone.name = row["timezone"]
    city.timezone = timezone
  }
  return try saveBatch(context)
}

/// Saves the changes of a batch to the root, in memory.
///
/// - Returns: the number of inserted objects.
private func saveBatch(_ context: ManagedObjectContext) throws -> Int {
  let insertedCount = context.insertedObjects.count
  try context.save()
  return insertedCount
}

extension Sequence where Element: ManagedObject {
  /// Returns the objects by the value of a unique attribute. The store enforces uniqueness when the
  /// root saves. Before that, a value may occur twice if another program imports into the same
  /// store.
  fileprivate func keyed<Key: Hashable>(by attribute: KeyPath<Element, Key>) -> [Key: Element] {
    Dictionary(map { ($0[keyPath: attribute], $0) }, uniquingKeysWith: { first, _ in first })
  }
}
