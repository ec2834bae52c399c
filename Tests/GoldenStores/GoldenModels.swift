// SPDX-License-Identifier: Apache-2.0
import Strata

/// The model of the quickstart, with which the golden stores were made.
enum Made {
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
    @Attribute(.indexed, .preserveValueOnDeletion) var name: String
    var latitude: Double
    var longitude: Double
    @Attribute(.indexed) var population: Int
    @Attribute(.preserveValueOnDeletion) var admin1Code: String?
    var country: Country?
    var timezone: Timezone?
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Language.self, Timezone.self, City.self)
  }
}

/// A later model of the same data: other names, other rules, an attribute and an entity more.
enum Changed {
  @Entity final class Continent: ManagedObject {
    @Attribute(.unique) var code: String
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Country.continent) var countries: ToMany<Country>
  }

  @Entity final class Country: ManagedObject {
    @Attribute(.unique) var iso: String
    var name: String
    var iso3: String
    var isoNumeric: Int?
    var capital: String?
    var areaKm2: Double
    @Attribute(.indexed) var population: Int
    var currencyCode: String = "XXX"
    var currencyName: String?
    var continent: Continent?
    @Relationship(inverse: \Tongue.countries) var languages: ToMany<Tongue>
    @Relationship(.symmetric) var neighbours: ToMany<Country>
    @Relationship(deleteRule: .nullify, inverse: \City.country) var cities: ToMany<City>
  }

  @Entity(originalName: "Language") final class Tongue: ManagedObject {
    @Attribute(.unique) var code: String
    var countries: ToMany<Country>
  }

  @Entity final class Timezone: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \City.timezone) var cities: ToMany<City>
  }

  @Entity final class City: ManagedObject {
    @Attribute(.unique) var geonameID: Int
    @Attribute(.indexed, .preserveValueOnDeletion, originalName: "name") var title: String
    var latitude: Double
    var longitude: Double
    @Attribute(.indexed) var population: Int?
    @Attribute(.preserveValueOnDeletion) var admin1Code: String?
    @Attribute(.indexed) var rank: Int = 7
    var country: Country?
    var timezone: Timezone?
    @Relationship(deleteRule: .cascade, inverse: \Sight.city) var sights: ToMany<Sight>
  }

  @Entity final class Sight: ManagedObject {
    @Attribute(.indexed) var name: String
    var city: City?
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Tongue.self, Timezone.self, City.self, Sight.self)
  }
}
