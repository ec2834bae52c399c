// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import Testing

private class Scan {}

private func entity(
  _ options: Set<AttributeOption>, type: AttributeType = .data, uniqueTogether: [[String]] = [],
  defaultValue: PropertyValue = .null
) -> EntityDescription {
  EntityDescription(
    "Scan", class: Scan.self, uniqueTogether: uniqueTogether,
    properties: [
      .attribute(
        AttributeDescription(
          "bytes", type: type, isOptional: true, defaultValue: defaultValue, options: options)),
      .attribute(AttributeDescription("name", type: .string, isOptional: true)),
      .attribute(
        AttributeDescription(
          "copy", type: .data, isOptional: true)),
    ])
}

@Suite struct `An external attribute in a model` {
  @Test func `is data, with rules of its own`() throws {
    let options: Set<AttributeOption> = [.external, .required, .length(1...80)]
    let model = try ManagedObjectModel(entities: [entity(options, defaultValue: .data(Data([1])))])
    #expect(model.entities[0].properties[0].attribute?.isExternal == true)
    #expect(model.entities[0].properties[2].attribute?.isExternal == false)
  }

  @Test(arguments: [
    ([AttributeOption.external, .unique], AttributeType.data), ([.external, .indexed], .data),
    ([.external, .transient], .data), ([.external, .derived(.path("scan.copy"))], .data),
    ([.external], .string), ([.external], .codable), ([.external], .int64),
  ])
  func `is refused of another type, and with options that need the bytes`(
    options: [AttributeOption], type: AttributeType
  ) {
    #expect(throws: ModelError.unfitExternal(entity: "Scan", property: "bytes")) {
      try ManagedObjectModel(entities: [entity(Set(options), type: type)])
    }
  }

  @Test func `is refused among properties that are unique together`() {
    #expect(throws: ModelError.unfitExternal(entity: "Scan", property: "bytes")) {
      try ManagedObjectModel(
        entities: [entity([.external], uniqueTogether: [["name", "bytes"]])])
    }
  }

  @Test func `is refused as the source of another`() throws {
    let owner = EntityDescription(
      "Frame", class: Frame.self,
      properties: [
        .relationship(
          RelationshipDescription("scan", kind: .toOne, destination: { Frame.scan })),
        .attribute(
          AttributeDescription(
            "copy", type: .data, isOptional: true, options: [.derived(.path("scan.bytes"))])),
      ])
    #expect(throws: ModelError.unfitDerivation(entity: "Frame", property: "copy")) {
      try ManagedObjectModel(entities: [owner, Frame.scan])
    }
  }

  @Test func `is part of the outline that a store keeps`() throws {
    let with = ModelOutline(try ManagedObjectModel(entities: [entity([.external])]))
    let without = ModelOutline(try ManagedObjectModel(entities: [entity([])]))
    #expect(with != without)
    let json = String(decoding: try JSONEncoder().encode(without), as: UTF8.self)
    #expect(!json.contains("isExternal"), "outlines without one are as they always were")
  }

  private class Frame {
    static let scan = entity([.external])
  }
}
