// SPDX-License-Identifier: Apache-2.0
public import Strata

/// The model of the quickstart, with which the golden stores were made.
public enum Made {
  @Entity public final class Continent: ManagedObject {
    @Attribute(.unique) public var code: String
    public var name: String
    @Relationship(inverse: \Country.continent) public var countries: ToMany<Country>
  }

  @Entity public final class Country: ManagedObject {
    @Attribute(.unique) public var iso: String
    @Attribute(.indexed) public var name: String
    public var iso3: String
    public var isoNumeric: Int
    public var capital: String?
    public var areaKm2: Double
    public var population: Int
    public var currencyCode: String?
    public var currencyName: String?
    public var continent: Continent?
    @Relationship(inverse: \Language.countries) public var languages: ToMany<Language>
    @Relationship(.symmetric) public var neighbours: ToMany<Country>
    @Relationship(deleteRule: .cascade, inverse: \City.country) public var cities: ToMany<City>
  }

  @Entity public final class Language: ManagedObject {
    @Attribute(.unique) public var code: String
    public var countries: ToMany<Country>
  }

  @Entity public final class Timezone: ManagedObject {
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \City.timezone) public var cities: ToMany<City>
  }

  @Entity public final class City: ManagedObject {
    @Attribute(.unique) public var geonameID: Int
    @Attribute(.indexed, .preserveValueOnDeletion) public var name: String
    public var latitude: Double
    public var longitude: Double
    @Attribute(.indexed) public var population: Int
    @Attribute(.preserveValueOnDeletion) public var admin1Code: String?
    public var country: Country?
    public var timezone: Timezone?
  }

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Language.self, Timezone.self, City.self)
  }
}

/// A later model of the same data: other names, other rules, an attribute and an entity more.
public enum Changed {
  @Entity public final class Continent: ManagedObject {
    @Attribute(.unique) public var code: String
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \Country.continent) public var countries: ToMany<Country>
  }

  @Entity public final class Country: ManagedObject {
    @Attribute(.unique) public var iso: String
    public var name: String
    public var iso3: String
    public var isoNumeric: Int?
    public var capital: String?
    public var areaKm2: Double
    @Attribute(.indexed) public var population: Int
    public var currencyCode: String = "XXX"
    public var currencyName: String?
    public var continent: Continent?
    @Relationship(inverse: \Tongue.countries) public var languages: ToMany<Tongue>
    @Relationship(.symmetric) public var neighbours: ToMany<Country>
    @Relationship(deleteRule: .nullify, inverse: \City.country) public var cities: ToMany<City>
  }

  @Entity(originalName: "Language") public final class Tongue: ManagedObject {
    @Attribute(.unique) public var code: String
    public var countries: ToMany<Country>
  }

  @Entity public final class Timezone: ManagedObject {
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \City.timezone) public var cities: ToMany<City>
  }

  @Entity public final class City: ManagedObject {
    @Attribute(.unique) public var geonameID: Int
    @Attribute(.indexed, .preserveValueOnDeletion, originalName: "name") public var title: String
    public var latitude: Double
    public var longitude: Double
    @Attribute(.indexed) public var population: Int?
    @Attribute(.preserveValueOnDeletion) public var admin1Code: String?
    @Attribute(.indexed) public var rank: Int = 7
    public var country: Country?
    public var timezone: Timezone?
    @Relationship(deleteRule: .cascade, inverse: \Sight.city) public var sights: ToMany<Sight>
  }

  @Entity public final class Sight: ManagedObject {
    @Attribute(.indexed) public var name: String
    public var city: City?
  }

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Tongue.self, Timezone.self, City.self, Sight.self)
  }
}
