// SPDX-License-Identifier: Apache-2.0
import StrataModel
import Testing

private class Thing {}

private func entity(
  _ name: String, of superentity: EntityDescription? = nil, _ constraints: [[String]],
  _ properties: PropertyDescription...
) -> EntityDescription {
  EntityDescription(
    name, class: Thing.self, superentity: superentity, uniqueTogether: constraints,
    properties: properties)
}

private func attribute(
  _ name: String, _ type: AttributeType = .int64, _ options: Set<AttributeOption> = []
) -> PropertyDescription {
  .attribute(AttributeDescription(name, type: type, options: options, needsDefault: false))
}

@Suite struct `Properties that are unique together` {
  @Test func `may be inherited`() throws {
    let person = entity("Person", [["x", "y"]], attribute("x"), attribute("y"))
    let employee = entity("Employee", of: person, [["x", "z"], ["z", "y"]], attribute("z"))
    let model = try ManagedObjectModel(entities: [employee])
    #expect(model.entities.map(\.uniqueTogether) == [[["x", "y"]], [["x", "z"], ["z", "y"]]])
  }

  @Test func `must be properties of the entity, and have one value that is stored`() {
    #expect(throws: ModelError.unknownConstraintProperty(entity: "A", property: "y")) {
      try ManagedObjectModel(entities: [entity("A", [["x", "y"]], attribute("x"))])
    }
    #expect(throws: ModelError.indexedTransient(entity: "A", property: "y")) {
      try ManagedObjectModel(entities: [
        entity("A", [["x", "y"]], attribute("x"), attribute("y", .int64, [.transient]))
      ])
    }
    #expect(throws: ModelError.unindexableType(entity: "A", property: "y", type: .codable)) {
      try ManagedObjectModel(entities: [
        entity("A", [["x", "y"]], attribute("x"), attribute("y", .codable))
      ])
    }
    let other = entity("B", [])
    let links = PropertyDescription.relationship(
      RelationshipDescription("links", kind: .toMany, destination: { other }))
    #expect(throws: ModelError.toManyConstraint(entity: "A", property: "links")) {
      try ManagedObjectModel(entities: [
        other, entity("A", [["x", "links"]], attribute("x"), links),
      ])
    }
  }

  @Test(arguments: [[["x"]], [["x", "x"]], [[]], [["x", "y"], ["y", "x"]]])
  func `are two or more, each once, and each set once`(_ constraints: [[String]]) {
    #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        entity("A", constraints, attribute("x"), attribute("y"))
      ])
    }
    let root = entity("A", [["x", "y"]], attribute("x"), attribute("y"))
    #expect(throws: ModelError.unfitConstraint(entity: "B", properties: ["y", "x"])) {
      try ManagedObjectModel(entities: [entity("B", of: root, [["y", "x"]])])
    }
  }

  @Test func `decide, among others, whether a store opens`() throws {
    func outline(_ constraints: [[String]]) throws -> ModelOutline {
      ModelOutline(
        try ManagedObjectModel(entities: [
          entity("A", constraints, attribute("x"), attribute("y"), attribute("z"))
        ]))
    }
    let some = try outline([["x", "y"], ["y", "z"]])
    #expect(try outline([["y", "z"], ["x", "y"]]) == some)
    #expect(try outline([["y", "z"]]) != some)
    #expect(try outline([["y", "x"], ["y", "z"]]) != some, "the index has another order")
    #expect(try outline([]).entities[0].uniqueTogether == nil)
  }
}
