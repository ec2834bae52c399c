// SPDX-License-Identifier: Apache-2.0
public import Strata

/// A second version of the quickstart's program: cities have another name for their name, an
/// optional population and an indexed attribute more; the names of time zones are split into areas,
/// which are objects, and places.
public enum Staged {
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

  @Entity public final class Area: ManagedObject {
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \Timezone.area) public var timezones: ToMany<Timezone>
  }

  @Entity public final class Timezone: ManagedObject {
    public var place: String
    public var area: Area?
    @Relationship(inverse: \City.timezone) public var cities: ToMany<City>
  }

  @Entity public final class City: ManagedObject {
    @Attribute(.unique) public var geonameID: Int
    @Attribute(.indexed, .preserveValueOnDeletion, originalName: "name") public var title: String
    public var latitude: Double
    public var longitude: Double
    @Attribute(.indexed) public var population: Int?
    @Attribute(.preserveValueOnDeletion) public var admin1Code: String?
    @Attribute(.indexed) public var review: String = "unchecked"
    public var country: Country?
    public var timezone: Timezone?
  }

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Language.self, Area.self, Timezone.self, City.self)
  }

  public static func plan() throws -> MigrationPlan {
    try MigrationPlan(
      MigrationStage(
        "split time zones", from: Made.model(), to: model(), converting: ["Timezone.place"],
        removing: ["Timezone.name"]
      ) { migration in
        try migration.forEach("Timezone") { former in
          let context = migration.context
          let zone = try context.existingObject(Timezone.self, with: former.objectID)
          let parts = (try former.value("name", as: String.self) ?? "")
            .split(separator: "/", maxSplits: 1).map(String.init)
          zone.place = parts.last ?? ""
          zone.area = try context.upsert(matching: \Area.name, equals: parts.first ?? "")
        }
      })
  }
}
