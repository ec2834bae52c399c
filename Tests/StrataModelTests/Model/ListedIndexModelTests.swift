// SPDX-License-Identifier: Apache-2.0
import StrataModel
import Testing

private class Thing {}

private func entity(
  _ name: String, of superentity: EntityDescription? = nil, unique: [[String]] = [],
  _ indexes: [[String]], _ properties: PropertyDescription...
) -> EntityDescription {
  EntityDescription(
    name, class: Thing.self, superentity: superentity, uniqueTogether: unique, indexes: indexes,
    properties: properties)
}

private func attribute(
  _ name: String, _ type: AttributeType = .int64, _ options: Set<AttributeOption> = []
) -> PropertyDescription {
  .attribute(AttributeDescription(name, type: type, options: options, needsDefault: false))
}

@Suite struct `Indexes over several properties` {
  @Test func `may have inherited properties, in any order`() throws {
    let person = entity("Person", [["x", "y"], ["y", "x"]], attribute("x"), attribute("y"))
    let employee = entity("Employee", of: person, [["x", "z"]], attribute("z"))
    let model = try ManagedObjectModel(entities: [employee])
    #expect(model.entities.map(\.indexes) == [[["x", "y"], ["y", "x"]], [["x", "z"]]])
  }

  @Test func `are over properties of the entity that have one value which is stored`() {
    #expect(throws: ModelError.unknownIndexProperty(entity: "A", property: "y")) {
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
    #expect(throws: ModelError.toManyIndex(entity: "A", property: "links")) {
      try ManagedObjectModel(entities: [
        other, entity("A", [["x", "links"]], attribute("x"), links),
      ])
    }
  }

  @Test(arguments: [[["x"]], [["x", "x"]], [[]], [["x", "y"], ["x", "y"]]])
  func `are over two or more, each once, and each list once`(_ indexes: [[String]]) {
    #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        entity("A", indexes, attribute("x"), attribute("y"))
      ])
    }
  }

  @Test func `are not over properties that are unique, here or above`() {
    let unfit = ModelError.unfitIndex(entity: "A", properties: ["x", "y"])
    #expect(throws: unfit) {
      try ManagedObjectModel(entities: [
        entity("A", unique: [["x", "y"]], [["x", "y"]], attribute("x"), attribute("y"))
      ])
    }
    for root in [
      entity("B", unique: [["x", "y"]], [], attribute("x"), attribute("y")),
      entity("B", [["x", "y"]], attribute("x"), attribute("y")),
    ] {
      #expect(throws: unfit) {
        try ManagedObjectModel(entities: [entity("A", of: root, [["x", "y"]])])
      }
    }
  }

  @Test func `decide, among others, whether a store opens`() throws {
    func outline(_ indexes: [[String]]) throws -> ModelOutline {
      ModelOutline(
        try ManagedObjectModel(entities: [
          entity("A", indexes, attribute("x"), attribute("y"), attribute("z"))
        ]))
    }
    let some = try outline([["x", "y"], ["y", "z"]])
    #expect(try outline([["y", "z"], ["x", "y"]]) == some)
    #expect(try outline([["y", "z"]]) != some)
    #expect(try outline([["y", "x"], ["y", "z"]]) != some, "the index has another order")
    #expect(try outline([]).entities[0].indexes == nil)
  }
}
