// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

// The model that all tests of this target share, with plain classes: predicates need their key
// paths alone.

enum Kind: String, Sendable, CaseIterable {
  case town, port, ruin
}

class Country {
  var name = ""
  var motto: String?
  var cities: [City] = []
  var sights: [City] = []
}

class City {
  var name = ""
  var nickname: String?
  var population = 0
  var elevation: Double?
  var wealth: Decimal?
  var rank: Int16?
  var isWalled = false
  var founded: Date?
  var kind: Kind?
  var code: UUID?
  var note = ""
  var country: Country?
  var twins: [City] = []
  var slogan: String { name + "!" }
}

final class Capital: City {
  var embassies: UInt8 = 0
}

enum Atlas {
  static let country: EntityDescription = EntityDescription(
    "Country", class: Country.self,
    properties: [
      .attribute(
        AttributeDescription("name", keyPath: \Country.name, type: .string, options: [.unique])),
      .attribute(
        AttributeDescription("motto", keyPath: \Country.motto, type: .string, isOptional: true)),
      .relationship(
        RelationshipDescription(
          "cities", keyPath: \Country.cities, kind: .toMany, destination: { city },
          inverse: .name("country"))),
      .relationship(
        RelationshipDescription(
          "sights", keyPath: \Country.sights, kind: .orderedToMany, destination: { city })),
    ])

  static let city: EntityDescription = EntityDescription(
    "City", class: City.self,
    indexes: [
      ["country", "name"], ["country", "population"], ["isWalled", "rank", "nickname"],
      ["founded", "population"],
    ],
    properties: [
      .attribute(
        AttributeDescription("name", keyPath: \City.name, type: .string, options: [.indexed])),
      .attribute(
        AttributeDescription(
          "nickname", keyPath: \City.nickname, type: .string, isOptional: true,
          options: [.indexed])),
      .attribute(
        AttributeDescription(
          "population", keyPath: \City.population, type: .int64, options: [.indexed])),
      .attribute(
        AttributeDescription(
          "elevation", keyPath: \City.elevation, type: .double, isOptional: true,
          options: [.indexed])),
      .attribute(
        AttributeDescription("rank", keyPath: \City.rank, type: .int16, isOptional: true)),
      .attribute(AttributeDescription("isWalled", keyPath: \City.isWalled, type: .bool)),
      .attribute(
        AttributeDescription("founded", keyPath: \City.founded, type: .date, isOptional: true)),
      .attribute(
        AttributeDescription("kind", keyPath: \City.kind, type: .string, isOptional: true)),
      .attribute(
        AttributeDescription(
          "code", keyPath: \City.code, type: .uuid, isOptional: true, options: [.unique])),
      .attribute(
        AttributeDescription(
          "wealth", keyPath: \City.wealth, type: .decimal, isOptional: true,
          options: [.indexed])),
      .attribute(
        AttributeDescription(
          "note", keyPath: \City.note, type: .string, options: [.transient])),
      .relationship(
        RelationshipDescription(
          "country", keyPath: \City.country, kind: .toOne, destination: { country })),
      .relationship(
        RelationshipDescription(
          "twins", keyPath: \City.twins, kind: .toMany, destination: { city },
          options: [.symmetric])),
    ])

  static let capital = EntityDescription(
    "Capital", class: Capital.self, superentity: city,
    properties: [
      .attribute(
        AttributeDescription("embassies", keyPath: \Capital.embassies, type: .uint8))
    ],
    probe: { $0 == \Capital.name ? city.slot(named: "name").map(_PropertyRead.slot) : nil })

  static func schema() throws -> Schema {
    let model = try ManagedObjectModel(entities: [country, city, capital])
    var numbers = SchemaNumbers()
    numbers.number(model)
    return Schema(model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
  }
}
