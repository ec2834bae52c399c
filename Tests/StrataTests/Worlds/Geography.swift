// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

// The first of the three worlds of these tests, and the one to take unless an entity is missing:
// countries, their cities and the routes between them.

@Entity final class Country: ManagedObject {
  @Attribute(.unique, .preserveValueOnDeletion) var iso: String
  @Attribute(.indexed) var name: String
  @Attribute(.preserveValueOnDeletion) var population: Int = 0
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

// Ordered relationships: to members with a to-one inverse, and ordered on both sides.

@Entity final class Album: ManagedObject {
  @Relationship(deleteRule: .noAction, inverse: \Track.album) var tracks: OrderedToMany<Track>
  @Relationship(deleteRule: .noAction, inverse: \Genre.albums) var genres: ToMany<Genre>
}

@Entity final class Track: ManagedObject {
  var name: String
  var album: Album?
}

@Entity final class Genre: ManagedObject {
  @Relationship(deleteRule: .noAction) var albums: ToMany<Album>
}

@Entity final class Hall: ManagedObject {
  @Relationship(inverse: \Play.halls) var plays: OrderedToMany<Play>
}

@Entity final class Play: ManagedObject {
  var halls: OrderedToMany<Hall>
}

func geographyModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(
    Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self, Album.self,
    Track.self, Genre.self, Hall.self, Play.self)
}

/// A container in memory with this graph's model.
func geography() throws -> PersistentContainer {
  try PersistentContainer(inMemory: geographyModel())
}

/// A container on the disk with this graph's model.
func geography(in directory: TemporaryDirectory) throws -> PersistentContainer {
  try PersistentContainer(
    at: directory.file("geography.strata"), model: geographyModel(), durability: .none)
}

extension ManagedObjectContext {
  /// Inserts a city for a test.
  @discardableResult
  func city(_ name: String, population: Int = 0, in country: Country? = nil) -> City {
    let city = City(context: self)
    city.name = name
    city.population = population
    city.country = country
    return city
  }

  /// Inserts a country for a test.
  @discardableResult
  func country(_ iso: String, name: String? = nil) -> Country {
    let country = Country(context: self)
    country.iso = iso
    country.name = name ?? iso
    return country
  }

  /// The names of all cities that this context sees, sorted.
  func cityNames() throws -> [String] { try fetch(City.all.sorted(by: \.name)).map(\.name) }
}
