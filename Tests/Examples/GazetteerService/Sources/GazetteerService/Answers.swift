// SPDX-License-Identifier: Apache-2.0
import Geonames
import Hummingbird

/// A city as the service shows it.
struct CityAnswer: ResponseEncodable {
  let geonameID: Int
  let name: String
  /// The ISO code of the country.
  let country: String?
  let population: Int

  init(_ city: City) {
    geonameID = city.geonameID
    name = city.name
    country = city.country?.iso
    population = city.population
  }

  /// The answer for a city that is in no store.
  init(example geonameID: Int) {
    (self.geonameID, name, country, population) = (geonameID, "Atlantis", "GR", 0)
  }
}

/// Some cities in the order of their IDs.
struct PageAnswer: ResponseEncodable {
  let cities: [CityAnswer]
  /// The value of `after` for the next page; nil on the last one.
  let next: Int?
}

/// The body of a request that inserts a city.
struct NewCity: Decodable {
  let geonameID: Int
  let name: String
  let country: String
  let population: Int
}

/// The body of a request that changes a city's population.
struct Growth: Decodable {
  let people: Int
}
