// SPDX-License-Identifier: Apache-2.0
public import Strata

/// The model of the quickstart with indexes of the words of names, with which the golden store of
/// format 8 was made.
public enum Searched {
  @Entity public final class Continent: ManagedObject {
    @Attribute(.unique) public var code: String
    public var name: String
    @Relationship(inverse: \Country.continent) public var countries: ToMany<Country>
  }

  @Entity public final class Country: ManagedObject {
    @Attribute(.unique) public var iso: String
    @Attribute(.indexed, .fullText) public var name: String
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
    @Attribute(.indexed, .fullText, .preserveValueOnDeletion) public var name: String
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
