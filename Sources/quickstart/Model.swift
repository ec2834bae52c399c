// SPDX-License-Identifier: Apache-2.0
import Strata

// The model. Each class is an entity, and each stored property an attribute or a relationship. For
// a relationship with an inverse, one side names the inverse. Setting either side sets both.

@Entity final class Continent: ManagedObject {
  @Attribute(.unique) var code: String
  var name: String
  @Relationship(inverse: \Country.continent) var countries: ToMany<Country>
}

@Entity final class Country: ManagedObject {
  @Attribute(.unique) var iso: String
  @Attribute(.indexed) var name: String
  var iso3: String
  var isoNumeric: Int
  var capital: String?
  var areaKm2: Double
  var population: Int
  var currencyCode: String?
  var currencyName: String?
  var continent: Continent?
  @Relationship(inverse: \Language.countries) var languages: ToMany<Language>
  @Relationship(.symmetric) var neighbours: ToMany<Country>
  @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
}

@Entity final class Language: ManagedObject {
  @Attribute(.unique) var code: String
  var countries: ToMany<Country>
}

@Entity final class Timezone: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \City.timezone) var cities: ToMany<City>
}

@Entity final class City: ManagedObject {
  @Attribute(.unique) var geonameID: Int
  @Attribute(.indexed) var name: String
  var latitude: Double
  var longitude: Double
  @Attribute(.indexed) var population: Int
  var admin1Code: String?
  var country: Country?
  var timezone: Timezone?
}

extension ManagedObjectModel {
  /// Creates the model of all entities in this file.
  static func geonames() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Language.self, Timezone.self, City.self)
  }
}
