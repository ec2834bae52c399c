// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// The model of these tests: a relationship of every kind, unique and transient attributes, and
/// inheritance, described by hand.
enum Atlas {
  private class Thing {}

  static let country: EntityDescription = entity(
    "Country",
    attribute("iso", .string, [.unique]),
    attribute("name", .string, [.indexed]),
    toMany("cities", { city }, deleteRule: .deny, inverse: "country"),
    .relationship(
      RelationshipDescription(
        "neighbours", kind: .toMany, destination: { country }, options: [.symmetric])),
    toOne("capital", { city }, inverse: "capitalOf"))
  static let city: EntityDescription = entity(
    "City",
    attribute("name", .string, [.indexed]),
    attribute("population", .int64, [.indexed]),
    attribute("area", .double),
    attribute("note", .string, [.transient]),
    toOne("country", { country }),
    toOne("capitalOf", { country }),
    toMany("tags", { tag }, inverse: "cities"))
  static let tag: EntityDescription = entity(
    "Tag", attribute("label", .string, [.unique]),
    toMany("cities", { city }, deleteRule: .deny))
  /// Leads to cities in an order, and cities do not know.
  static let route: EntityDescription = entity(
    "Route", attribute("name", .string),
    .relationship(
      RelationshipDescription("stops", kind: .orderedToMany, destination: { city })))
  static let person: EntityDescription = entity(
    "Person", isAbstract: true, attribute("email", .string, [.unique]))
  static let mayor: EntityDescription = entity(
    "Mayor", of: person, attribute("party", .string, [.indexed]))
  static let geographer: EntityDescription = entity("Geographer", of: person)

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [country, city, tag, route, mayor, geographer])
  }

  /// The same with an attribute more.
  static func changedModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [entity("Country", attribute("iso", .string))])
  }

  private static func entity(
    _ name: String, of superentity: EntityDescription? = nil, isAbstract: Bool = false,
    _ properties: PropertyDescription...
  ) -> EntityDescription {
    EntityDescription(
      name, class: Thing.self, isAbstract: isAbstract, superentity: superentity,
      properties: properties)
  }

  private static func attribute(
    _ name: String, _ type: AttributeType, _ options: Set<AttributeOption> = []
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, type: type, isOptional: true, options: options))
  }

  private static func toOne(
    _ name: String, _ destination: @escaping @Sendable () -> EntityDescription,
    inverse: String? = nil
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name, kind: .toOne, destination: destination,
        inverse: inverse.map(RelationshipDescription.Inverse.name)))
  }

  private static func toMany(
    _ name: String, _ destination: @escaping @Sendable () -> EntityDescription,
    deleteRule: DeleteRule = .nullify, inverse: String? = nil
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name, kind: .toMany, destination: destination, deleteRule: deleteRule,
        inverse: inverse.map(RelationshipDescription.Inverse.name)))
  }
}
