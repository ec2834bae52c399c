// SPDX-License-Identifier: Apache-2.0
import StrataModel
import Testing

private class Thing {}

private enum Pair {
  static let member: EntityDescription = EntityDescription(
    "Member", class: Thing.self,
    properties: [
      .attribute(AttributeDescription("name", type: .string)),
      .attribute(AttributeDescription("size", type: .float)),
      .attribute(
        AttributeDescription("upper", type: .string, options: [.derived(.uppercase("name"))])),
    ])

  static func model(
    _ type: AttributeType, _ options: AttributeOption...
  ) throws -> ManagedObjectModel {
    let owner = EntityDescription(
      "Owner", class: Thing.self,
      properties: [
        .attribute(AttributeDescription("text", type: .string)),
        .attribute(AttributeDescription("number", type: .int64)),
        .relationship(
          RelationshipDescription("one", kind: .toOne, destination: { member })),
        .relationship(
          RelationshipDescription("many", kind: .toMany, destination: { member })),
        .attribute(AttributeDescription("derived", type: type, options: Set(options))),
      ])
    return try ManagedObjectModel(entities: [owner, member])
  }
}

@Suite struct `A derivation in a model` {
  @Test(arguments: [
    (AttributeType.string, AttributeDerivation.canonical("text")), (.string, .path("one.name")),
    (.float, .path("one.size")), (.int64, .count("many")), (.double, .sum("many", of: "size")),
    (.date, .now),
  ])
  func `is interpreted as a fitting type`(type: AttributeType, derivation: AttributeDerivation)
    throws
  {
    let owner = try Pair.model(type, .derived(derivation)).entities[0]
    #expect(owner.properties[4].attribute?.derivation == derivation)
  }

  @Test(arguments: [
    (AttributeType.int64, AttributeDerivation.canonical("text")), (.string, .lowercase("number")),
    (.string, .uppercase("nothing")), (.string, .path("name")), (.string, .path("one.nothing")),
    (.string, .path("many.name")), (.int64, .path("one.name")), (.string, .path("one.upper")),
    (.string, .path("one..name")), (.int32, .count("many")), (.int64, .count("one")),
    (.int64, .sum("many", of: "size")), (.double, .sum("many", of: "name")),
    (.double, .sum("one", of: "size")), (.string, .now), (.string, .canonical("derived")),
  ])
  func `is refused where it does not`(type: AttributeType, derivation: AttributeDerivation) {
    #expect(throws: ModelError.unfitDerivation(entity: "Owner", property: "derived")) {
      try Pair.model(type, .derived(derivation))
    }
  }

  @Test func `is refused for transient attributes, and with another`() {
    #expect(throws: ModelError.unfitDerivation(entity: "Owner", property: "derived")) {
      try Pair.model(.date, .derived(.now), .transient)
    }
    #expect(throws: ModelError.unfitDerivation(entity: "Owner", property: "derived")) {
      try Pair.model(.string, .derived(.uppercase("text")), .derived(.lowercase("text")))
    }
  }
}
