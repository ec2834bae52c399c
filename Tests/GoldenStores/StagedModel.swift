// SPDX-License-Identifier: Apache-2.0
import Strata

/// A second version of the quickstart's program: cities have another name for their name, an
/// optional population and an indexed attribute more; the names of time zones are split into areas,
/// which are objects, and places.
enum Staged {
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

  @Entity final class Area: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Timezone.area) var timezones: ToMany<Timezone>
  }

  @Entity final class Timezone: ManagedObject {
    var place: String
    var area: Area?
    @Relationship(inverse: \City.timezone) var cities: ToMany<City>
  }

  @Entity final class City: ManagedObject {
    @Attribute(.unique) var geonameID: Int
    @Attribute(.indexed, .preserveValueOnDeletion, originalName: "name") var title: String
    var latitude: Double
    var longitude: Double
    @Attribute(.indexed) var population: Int?
    @Attribute(.preserveValueOnDeletion) var admin1Code: String?
    @Attribute(.indexed) var review: String = "unchecked"
    var country: Country?
    var timezone: Timezone?
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Continent.self, Country.self, Language.self, Area.self, Timezone.self, City.self)
  }

  static func plan() throws -> MigrationPlan {
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
