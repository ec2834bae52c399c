// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Strata

/// The import of the GeoNames sample, as units of work for any context.
///
/// Each batch inserts or updates the objects of some rows, and leaves it to the caller in which
/// context that happens and how it is saved. Importing a second time changes nothing.
public struct GeonamesImport: Sendable {
  public typealias Batch = @Sendable (ManagedObjectContext) throws -> Void

  /// The continents and countries, then the cities, `cityCount` at a time. Their order matters: a
  /// city refers to its country.
  public let batches: [Batch]

  /// Reads the tables.
  ///
  /// - Parameters:
  ///   - folder: has `continents.tsv`, `countries.tsv` and `cities.tsv`.
  ///   - cityCount: the number of cities in a batch, at least 1.
  /// - Throws: the errors of reading a file; `TableError` for a malformed line.
  public init(of folder: URL = sampleFolder, citiesPerBatch cityCount: Int = 1_000) throws {
    let continents = try Table("continents.tsv", in: folder).rows
    let countries = try Table("countries.tsv", in: folder).rows
    let cities = try Table("cities.tsv", in: folder).rows
    batches =
      [{ try insertCountries(countries, continents, into: $0) }]
      + stride(from: 0, to: cities.count, by: cityCount).map { start in
        let rows = cities[start..<min(start + cityCount, cities.count)]
        return { try insertCities(rows, into: $0) }
      }
  }

  /// The sample that the quick start has, in a clone of the repository.
  public static var sampleFolder: URL {
    URL(filePath: #filePath).appending(
      path: "../../../../../../Sources/quickstart/Resources/geonames"
    ).standardizedFileURL
  }
}

// MARK: - Batches

private func insertCountries(
  _ rows: [Table.Row], _ continents: [Table.Row], into context: ManagedObjectContext
) throws {
  for row in continents {
    try context.upsert(Continent.self, matching: \.code, equals: row["code"]) {
      $0.name = row["name"]
    }
  }
  for row in rows {
    try context.upsert(Country.self, matching: \.iso, equals: row["iso"]) { country in
      country.name = row["name"]
      country.iso3 = row["iso3"]
      country.isoNumeric = try row.number("isonumeric")
      country.capital = row.optional("capital")
      country.areaKm2 = try row.number("areakm2")
      country.population = try row.number("population")
      country.currencyCode = row.optional("currencycode")
      country.currencyName = row.optional("currencyname")
      country.continent = try context.upsert(
        Continent.self, matching: \.code, equals: row["continentcode"])
      for code in row.list("languages") {
        country.languages.insert(
          try context.upsert(Language.self, matching: \.code, equals: code))
      }
    }
  }
  for row in rows {
    let country = try context.upsert(Country.self, matching: \.iso, equals: row["iso"])
    for iso in row.list("neighbours") {
      country.neighbours.insert(try context.upsert(Country.self, matching: \.iso, equals: iso))
    }
  }
}

private func insertCities(
  _ rows: ArraySlice<Table.Row>, into context: ManagedObjectContext
) throws {
  let countries = Dictionary(
    uniqueKeysWithValues: try context.fetch(Country.all).map { ($0.iso, $0) })
  var timezones = Dictionary(
    uniqueKeysWithValues: try context.fetch(Timezone.all).map { ($0.name, $0) })
  try context.upsert(
    City.self, from: rows, matching: \.geonameID, by: { try $0.number("geonameid") },
    with: { city, row in
      city.name = row["name"]
      city.latitude = try row.number("latitude")
      city.longitude = try row.number("longitude")
      city.population = try row.number("population")
      city.admin1Code = row.optional("admin1code")
      city.country = countries[row["countrycode"]]
      let timezone = timezones[row["timezone"]] ?? Timezone(context: context)
      timezone.name = row["timezone"]
      timezones[timezone.name] = timezone
      city.timezone = timezone
    })
}
