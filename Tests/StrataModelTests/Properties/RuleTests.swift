// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import Testing

private class Thing {}

private func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
  try ManagedObjectModel(
    entities: [EntityDescription("Thing", class: Thing.self, properties: properties)])
}

private func model(_ type: AttributeType, _ rule: AttributeRule) throws -> ManagedObjectModel {
  try model(
    .attribute(
      AttributeDescription("a", type: type, options: [.rule(rule)], needsDefault: false)))
}

private enum Pair {
  static let entity: EntityDescription = EntityDescription(
    "Other", class: Thing.self, properties: [])

  static func model(
    _ kind: RelationshipDescription.Kind, _ options: RelationshipOption...
  ) throws -> ManagedObjectModel {
    let owner = EntityDescription(
      "Owner", class: Thing.self,
      properties: [
        .relationship(
          RelationshipDescription(
            "r", kind: kind, destination: { entity }, options: Set(options)))
      ])
    return try ManagedObjectModel(entities: [owner, entity])
  }
}

@Suite struct `A rule in a model` {
  @Test(arguments: [
    (AttributeType.string, AttributeRule.length(min: 1, max: 80)), (.data, .length(min: 0, max: 0)),
    (.int8, .range(min: .int(-1), max: nil)), (.uint8, .range(min: .int(0), max: .int(300))),
    (.double, .range(min: .int(0), max: .double(0.5))),
    (.decimal, .range(min: nil, max: .int(3))),
    (.date, .range(min: .date(Date(timeIntervalSinceReferenceDate: 0)), max: nil)),
    (.string, .matches("[A-Z]{2}")), (.codable, .required),
  ])
  func `is taken for a type that it fits`(type: AttributeType, rule: AttributeRule) throws {
    let entity = try model(type, rule).entities[0]
    #expect(entity.properties[0].attribute?.rules == [rule])
  }

  @Test(arguments: [
    (AttributeType.int64, AttributeRule.length(min: 1, max: 80), ".length(1...80)"),
    (.string, .length(min: -1, max: nil), ".length(-1...)"),
    (.string, .length(min: 2, max: 1), ".length(2...1)"),
    (.string, .range(min: .int(1), max: nil), ".range(1...)"),
    (.bool, .range(min: nil, max: .int(1)), ".range(...1)"),
    (.int64, .range(min: .double(0.5), max: nil), ".range(0.5...)"),
    (.uint8, .range(min: .int(-1), max: nil), ".range(-1...)"),
    (.double, .range(min: .double(.nan), max: nil), ".range(nan...)"),
    (.double, .range(min: nil, max: nil), ".range(...)"),
    (.int64, .range(min: .int(2), max: .int(1)), ".range(2...1)"),
    (.decimal, .range(min: .double(0.5), max: nil), ".range(0.5...)"),
    (.int64, .matches("1"), #".matches("1")"#),
  ])
  func `is refused where it fits nothing`(
    type: AttributeType, rule: AttributeRule, text: String
  ) {
    #expect(throws: ModelError.unfitRule(entity: "Thing", property: "a", rule: text)) {
      try model(type, rule)
    }
  }

  @Test func `has a pattern that is a regular expression`() throws {
    let error = try #require(
      #expect(throws: ModelError.self) { try model(.string, .matches("[A-Z")) })
    #expect(
      error
        == .invalidPattern(
          entity: "Thing", property: "a", pattern: "[A-Z", reason: "expected ']'"))
    #expect("\(error)".contains(#"The pattern "[A-Z" is not a regular expression: expected ']'."#))
  }

  @Test func `counts members of to-many relationships`() throws {
    let owner = try Pair.model(.toMany, .required, .count(1...5), .count(2...)).entities[0]
    let relationship = try #require(owner.properties[0].relationship)
    #expect(relationship.isRequired)
    #expect(relationship.minCount == 2 && relationship.maxCount == 5)
    let free = try Pair.model(.orderedToMany).entities[0].properties[0].relationship
    #expect(free?.minCount == 0 && free?.maxCount == nil && free?.isRequired == false)
  }

  @Test(arguments: [
    (RelationshipDescription.Kind.toOne, RelationshipOption.count(...1), ".count(0...1)"),
    (.toMany, .count(min: -1, max: 2), ".count(-1...2)"),
    (.toMany, .count(min: 3, max: 2), ".count(3...2)"), (.toMany, .count(...0), ".count(0...0)"),
    // Use `.required` for that.
    (.toMany, .count(1...), ".count(1...)"),
  ])
  func `counts nothing else`(
    kind: RelationshipDescription.Kind, option: RelationshipOption, text: String
  ) {
    #expect(throws: ModelError.unfitRule(entity: "Owner", property: "r", rule: text)) {
      try Pair.model(kind, option)
    }
  }

  @Test func `counts nothing by two bounds that exclude each other`() {
    #expect(throws: ModelError.self) { try Pair.model(.toMany, .count(3...), .count(...2)) }
  }

  @Test func `is no part of the stored data`() throws {
    let plain = try model(.attribute(AttributeDescription("a", type: .string)))
    let ruled = try model(.string, .length(min: 1, max: 3))
    #expect(ModelOutline(plain) == ModelOutline(ruled))
  }
}
