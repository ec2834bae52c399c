// SPDX-License-Identifier: Apache-2.0
import StrataModel
import Testing

private class Thing {}

private func entity(
  _ name: String, of superentity: EntityDescription? = nil, _ properties: PropertyDescription...
) -> EntityDescription {
  EntityDescription(name, class: Thing.self, superentity: superentity, properties: properties)
}

private func attribute(
  _ name: String, _ type: AttributeType = .int64, _ options: Set<AttributeOption> = []
) -> PropertyDescription {
  .attribute(AttributeDescription(name, type: type, options: options))
}

/// Two entities that name each other.
private enum Geography {
  static let country: EntityDescription = entity(
    "Country",
    .relationship(
      RelationshipDescription(
        "cities", kind: .toMany, destination: { city }, inverse: .name("country"))))
  static let city: EntityDescription = entity(
    "City",
    .relationship(RelationshipDescription("country", kind: .toOne, destination: { country })))
}

@Suite struct `A model` {
  @Test func `takes in the superentities of its entities, before them`() throws {
    let person = entity("Person", attribute("name", .string))
    let employee = entity("Employee", of: person, attribute("salary", .double))
    let model = try ManagedObjectModel(entities: [employee])
    #expect(model.entities.map(\.name) == ["Person", "Employee"])
    #expect(employee.properties.map(\.name) == ["name", "salary"])
    #expect(employee.firstOwnSlot == 1)
  }

  @Test func `finds the inverse from either side, named on one`() throws {
    let model = try ManagedObjectModel(entities: [Geography.country, Geography.city])
    let cities = ManagedObjectModel.PropertyReference(entity: "Country", property: "cities")
    let back = ManagedObjectModel.PropertyReference(entity: "City", property: "country")
    #expect(model.inverse(of: cities) == back)
    #expect(model.inverse(of: back) == cities)
  }

  @Test func `refuses two entities of one name`() {
    #expect(throws: ModelError.duplicateEntity("A")) {
      try ManagedObjectModel(entities: [entity("A"), entity("A")])
    }
  }

  @Test func `refuses a property that hides an inherited one`() {
    let person = entity("Person", attribute("name"))
    let employee = entity("Employee", of: person, attribute("name"))
    #expect(throws: ModelError.duplicateProperty(entity: "Employee", property: "name")) {
      try ManagedObjectModel(entities: [employee])
    }
  }

  @Test func `refuses a relationship to an entity that it lacks`() {
    let company = entity("Company")
    let person = entity(
      "Person",
      .relationship(RelationshipDescription("employer", kind: .toOne, destination: { company })))
    #expect(
      throws: ModelError.unknownDestination(
        entity: "Person", property: "employer", destination: "Company")
    ) {
      try ManagedObjectModel(entities: [person])
    }
  }

  @Test func `refuses an inverse that does not exist or leads elsewhere`() {
    let company = entity("Company", attribute("name"))
    func person(inverse: String) -> EntityDescription {
      entity(
        "Person",
        .relationship(
          RelationshipDescription(
            "employer", kind: .toOne, destination: { company }, inverse: .name(inverse))))
    }
    #expect(
      throws: ModelError.unknownInverse(
        entity: "Person", property: "employer", destination: "Company")
    ) { try ManagedObjectModel(entities: [company, person(inverse: "staff")]) }
    #expect(
      throws: ModelError.mismatchedInverse(
        entity: "Person", property: "employer", inverse: "Company.name")
    ) { try ManagedObjectModel(entities: [company, person(inverse: "name")]) }
  }

  @Test func `refuses an index on properties that are not stored or have no order`() {
    #expect(throws: ModelError.indexedTransient(entity: "A", property: "x")) {
      try ManagedObjectModel(entities: [
        entity("A", attribute("x", .int64, [.transient, .indexed]))
      ])
    }
    #expect(throws: ModelError.unindexableType(entity: "A", property: "x", type: .codable)) {
      try ManagedObjectModel(entities: [entity("A", attribute("x", .codable, [.unique]))])
    }
  }

  @Test func `refuses a default of another type`() {
    let small = AttributeDescription("x", type: .int8, defaultValue: .int(300))
    #expect(throws: ModelError.mismatchedDefault(entity: "A", property: "x")) {
      try ManagedObjectModel(entities: [entity("A", .attribute(small))])
    }
  }

  @Test func `has the same outline in whatever order it is declared`() throws {
    let one = try ManagedObjectModel(entities: [
      entity("A", attribute("x"), attribute("y", .string)), entity("B"),
    ])
    let other = try ManagedObjectModel(entities: [
      entity("B"), entity("A", attribute("y", .string), attribute("x")),
    ])
    #expect(ModelOutline(one) == ModelOutline(other))
  }
}
