// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

// The one object graph of these tests.

@Entity final class Country: ManagedObject {
  @Attribute(.unique) var iso: String
  @Attribute(.indexed) var name: String
  var population: Int = 0
  @Relationship(.symmetric) var neighbours: ToMany<Country>
  @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
  @Relationship(inverse: \Language.countries) var languages: ToMany<Language>
  @Relationship(inverse: \Government.country) var government: Government?
}

@Entity final class City: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var population: Int = 0
  @Attribute(.transient) var note: String?
  var country: Country?
}

@Entity final class Language: ManagedObject {
  var code: String
  var countries: ToMany<Country>
}

@Entity final class Government: ManagedObject {
  @Attribute(.length(...20)) var form: String
  var country: Country?
}

@Entity final class Route: ManagedObject {
  var name: String
  var start: City?
  @Relationship(deleteRule: .deny) var ferries: ToMany<Ferry>
  var stops: OrderedToMany<City>
}

@Entity final class Ferry: ManagedObject {
  var name: String
  @Relationship(deleteRule: .deny) var port: City?
}

/// A container in memory with this graph's model.
func geography() throws -> PersistentContainer {
  try PersistentContainer(
    inMemory: ManagedObjectModel(
      Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self))
}

/// A container on the disk with this graph's model.
func geography(in directory: TemporaryDirectory) throws -> PersistentContainer {
  try PersistentContainer(
    at: directory.file("geography.strata"),
    model: ManagedObjectModel(
      Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self),
    durability: .none)
}

extension ManagedObjectContext {
  /// Inserts a city for a test.
  @discardableResult
  func city(_ name: String, population: Int = 0, in country: Country? = nil) -> City {
    let city = City(in: self)
    city.name = name
    city.population = population
    city.country = country
    return city
  }

  /// Inserts a country for a test.
  @discardableResult
  func country(_ iso: String, name: String? = nil) -> Country {
    let country = Country(in: self)
    country.iso = iso
    country.name = name ?? iso
    return country
  }

  /// The names of all cities that this context sees, sorted.
  func cityNames() throws -> [String] { try fetch(City.all.sorted(by: \.name)).map(\.name) }
}
