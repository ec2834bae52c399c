// SPDX-License-Identifier: Apache-2.0
import GoldenModels
import Strata

/// The facts that both versions of the quickstart's store have.
struct GoldenFacts: Equatable {
  /// A time zone: the parts of its name, and the number of its cities.
  struct Zone: Hashable {
    let area: String
    let place: String
    let cityCount: Int
  }

  /// The names of all cities by their IDs in GeoNames.
  let names: [Int: String]
  let population: Int
  let largest: [String]
  let zones: Set<Zone>
  /// The number of cities by the codes of continents.
  let continents: [String: Int]
  let countryCount: Int
  let languageCount: Int

  /// - Throws: the errors of fetching.
  init(made context: ManagedObjectContext) throws {
    typealias City = Made.City
    let cities = try context.fetch(City.all)
    names = Dictionary(cities.map { ($0.geonameID, $0.name) }) { first, _ in first }
    population = cities.reduce(0) { $0 + $1.population }
    largest = try context.fetch(City.all.sorted(by: \.population, order: .reverse).limit(5))
      .map(\.name)
    zones = Set(
      try context.fetch(Made.Timezone.all).map { zone in
        let parts = zone.name.split(separator: "/", maxSplits: 1).map(String.init)
        return Zone(
          area: parts.first ?? "", place: parts.last ?? "", cityCount: zone.cities.count)
      })
    continents = try context.fetch(Made.Continent.all).reduce(into: [:]) { counts, continent in
      counts[continent.code] = continent.countries.reduce(0) { $0 + $1.cities.count }
    }
    countryCount = try context.count(Made.Country.all)
    languageCount = try context.count(Made.Language.all)
  }

  /// - Throws: the errors of fetching; `Wrong` for a city without the default of the new attribute.
  init(staged context: ManagedObjectContext) throws {
    typealias City = Staged.City
    let cities = try context.fetch(City.all)
    names = Dictionary(cities.map { ($0.geonameID, $0.title) }) { first, _ in first }
    population = cities.reduce(0) { $0 + ($1.population ?? 0) }
    largest = try context.fetch(City.all.sorted(by: \.population, order: .reverse).limit(5))
      .map(\.title)
    zones = Set(
      try context.fetch(Staged.Timezone.all).map { zone in
        Zone(area: zone.area?.name ?? "", place: zone.place, cityCount: zone.cities.count)
      })
    continents = try context.fetch(Staged.Continent.all).reduce(into: [:]) { counts, continent in
      counts[continent.code] = continent.countries.reduce(0) { $0 + $1.cities.count }
    }
    countryCount = try context.count(Staged.Country.all)
    languageCount = try context.count(Staged.Language.all)
    // The new attribute, by its index.
    guard try context.count(City.where { $0.review == "unchecked" }) == cities.count else {
      throw Wrong()
    }
  }

  struct Wrong: Error {}
}

extension GoldenFacts: CustomStringConvertible {
  var description: String {
    let areas = Set(zones.map(\.area)).count
    let cities = continents.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      cities \(names.count), population \(population), largest \(largest.joined(separator: ", "))
      cities by continent: \(cities.joined(separator: ", "))
      countries \(countryCount), languages \(languageCount), time zones \(zones.count) in \(areas) \
      areas
      """
  }
}
