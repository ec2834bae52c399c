// SPDX-License-Identifier: Apache-2.0
import Strata

/// Returns the contents of a store as lines of the form `key value`.
func facts(of context: ManagedObjectContext) throws -> [String] {
  let continents = try context.fetch(Continent.all.sorted(by: \.code))
  let countries = try context.fetch(Country.all)
  // The relationship is symmetric, so each pair is counted at both ends.
  let neighbourPairCount = countries.reduce(0) { $0 + $1.neighbours.count } / 2
  let largest = try context.fetch(City.all.sorted(by: \.population, order: .reverse).limit(10))

  var lines = [
    "continents \(continents.count)",
    "countries \(countries.count)",
    "cities \(try context.count(City.all))",
    "timezones \(try context.count(Timezone.all))",
    "languages \(try context.count(Language.all))",
    "neighbour-pairs \(neighbourPairCount)",
  ]
  for (index, city) in largest.enumerated() {
    lines.append("city-\(index + 1) \(city.name) \(city.population)")
  }
  for continent in continents {
    let cityCount = continent.countries.reduce(0) { $0 + $1.cities.count }
    lines.append("cities-in-\(continent.code) \(cityCount)")
  }
  return lines
}
