// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import Testing

@Suite struct `The way from one model to another` {
  private class Thing {}

  private static func entity(
    _ name: String, of superentity: EntityDescription? = nil, isAbstract: Bool = false,
    originalName: String? = nil, _ properties: [PropertyDescription] = []
  ) -> EntityDescription {
    EntityDescription(
      name, class: Thing.self, isAbstract: isAbstract, superentity: superentity,
      originalName: originalName, properties: properties)
  }

  private static func attribute(
    _ name: String, _ type: AttributeType = .int64, isOptional: Bool = false,
    default value: PropertyValue = .null, options: Set<AttributeOption> = [],
    originalName: String? = nil
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name, type: type, isOptional: isOptional, defaultValue: value, options: options,
        originalName: originalName))
  }

  private static func evolution(
    from former: [PropertyDescription], to present: [PropertyDescription],
    removing: DataRemoval = DataRemoval()
  ) throws -> ModelEvolution {
    ModelEvolution(
      from: ModelOutline(try ManagedObjectModel(entities: [entity("A", former)])), FormerNames(),
      to: try ManagedObjectModel(entities: [entity("A", present)]), removing: removing)
  }

  /// The former names of the first entity's properties, by name.
  private static func formerNames(_ evolution: ModelEvolution) -> [String: String] {
    evolution.entities[0].formerProperties.mapValues(\.property)
  }

  @Test func `is empty between equal models`() throws {
    let evolution = try Self.evolution(
      from: [Self.attribute("x"), Self.attribute("y", .string)],
      to: [Self.attribute("y", .string), Self.attribute("x")])
    #expect(evolution.mismatches.isEmpty)
    #expect(Self.formerNames(evolution) == ["x": "x", "y": "y"])
  }

  @Test func `follows the original names of attributes`() throws {
    let evolution = try Self.evolution(
      from: [Self.attribute("x")], to: [Self.attribute("y", originalName: "x")])
    #expect(evolution.mismatches.isEmpty)
    #expect(Self.formerNames(evolution) == ["y": "x"])
  }

  /// A name, its former name if it is another, and what the store has carried out.
  private static func formerNames(
    from former: [String], to present: KeyValuePairs<String, String?>,
    _ formerNames: FormerNames = FormerNames()
  ) throws -> ModelEvolution {
    ModelEvolution(
      from: ModelOutline(
        try ManagedObjectModel(entities: [
          entity("A", former.map { attribute($0, isOptional: true) })
        ])), formerNames,
      to: try ManagedObjectModel(entities: [
        entity("A", present.map { attribute($0, isOptional: true, originalName: $1) })
      ]))
  }

  @Test func `prefers an original name to a name that is still there`() throws {
    let evolution = try Self.formerNames(from: ["x"], to: ["x": nil, "y": "x"])
    #expect(evolution.mismatches.isEmpty && evolution.movesNames)
    #expect(Self.formerNames(evolution) == ["y": "x"])
  }

  @Test func `lets two names swap, once`() throws {
    let swap: KeyValuePairs<String, String?> = ["x": "y", "y": "x"]
    let evolution = try Self.formerNames(from: ["x", "y"], to: swap)
    #expect(evolution.mismatches.isEmpty && evolution.movesNames)
    #expect(Self.formerNames(evolution) == ["x": "y", "y": "x"])
    let again = try Self.formerNames(from: ["x", "y"], to: swap, evolution.formerNames)
    #expect(again.mismatches.isEmpty && !again.movesNames)
  }

  @Test func `refuses a name that two continue`() throws {
    let two = try Self.formerNames(from: ["x"], to: ["y": "x", "z": "x"])
    #expect(two.mismatches.map(\.kind) == [.ambiguousOriginalName("x")])
    let explicit = try Self.formerNames(from: ["x"], to: ["x": "x", "y": "x"])
    #expect(explicit.mismatches.map(\.kind) == [.ambiguousOriginalName("x")])
    // A name that has moved once stays, so another that now takes its data is a contradiction.
    let swapped = try Self.formerNames(from: ["x", "y"], to: ["x": "y", "y": "x"])
    let moved = try Self.formerNames(
      from: ["x", "y"], to: ["x": "y", "z": "x"], swapped.formerNames)
    #expect(moved.mismatches.map(\.kind).contains(.ambiguousOriginalName("x")))
  }

  @Test func `names the data whose name another one takes`() throws {
    let evolution = try Self.formerNames(from: ["x", "y"], to: ["y": "x"])
    #expect(evolution.mismatches.map(\.kind) == [.replaced(by: "x")])
    #expect(evolution.mismatches[0].description.contains(#"removing: ["A.y"]"#))
  }

  @Test func `refuses to guess what an earlier release has carried out`() throws {
    let outline = ModelOutline(
      try ManagedObjectModel(entities: [
        Self.entity("A", ["x", "y"].map { Self.attribute($0, isOptional: true) })
      ]))
    let unsure = FormerNames(unsureOf: outline)
    let refused = try Self.formerNames(from: ["x", "y"], to: ["x": nil, "y": "x"], unsure)
    #expect(refused.mismatches.map(\.kind) == [.unknownOriginalName("x")])
    // A name that the store does not have yet was never carried out.
    let single = try Self.formerNames(
      from: ["x", "y"], to: ["z": "x", "x": nil, "y": nil], unsure)
    #expect(single.mismatches.isEmpty && Self.formerNames(single) == ["z": "x", "y": "y"])
    // What has moved is known from then on, the rest is not.
    let later = single.formerNames
    #expect(
      try Self.formerNames(from: ["x", "y", "z"], to: ["z": "x", "x": nil, "y": nil], later)
        .mismatches.isEmpty)
    #expect(
      try Self.formerNames(from: ["x", "y", "z"], to: ["y": "x", "x": nil, "z": nil], later)
        .mismatches.map(\.kind) == [.unknownOriginalName("x")])
  }

  @Test func `keeps what was carried out as bytes`() throws {
    let swapped = try Self.formerNames(from: ["x", "y"], to: ["x": "y", "y": "x"]).formerNames
    let text = swapped.text(ofVersion: 2)
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"names":{"A.x":["y"],"A.y":["x"]},"version":2}"#)
    #expect(try FormerNames(known: text, version: 2) == swapped)
    // An earlier release has changed the model since.
    #expect(try FormerNames(known: text, version: 3) == nil)
    #expect(throws: DecodingError.self) { try FormerNames(known: [0x7B], version: 2) }
  }

  @Test(arguments: [
    (AttributeType.int8, AttributeType.int16, true), (.int16, .int64, true),
    (.uint8, .int16, true), (.uint32, .uint64, true), (.float, .double, true),
    (.int32, .double, true), (.int16, .float, true), (.uint64, .int64, false),
    (.int8, .uint64, false), (.int64, .int32, false), (.int64, .double, false),
    (.double, .float, false), (.string, .data, false), (.int64, .string, false),
    (.date, .double, false), (.bool, .int64, false),
  ])
  func `widens numbers and changes no other type`(
    former: AttributeType, present: AttributeType, isPossible: Bool
  ) throws {
    let evolution = try Self.evolution(
      from: [Self.attribute("x", former)], to: [Self.attribute("x", present)])
    #expect(
      evolution.mismatches.map(\.kind)
        == (isPossible ? [] : [.changedType(from: former, to: present)]))
  }

  @Test func `needs a default for a new attribute that is not optional`() throws {
    let old = [Self.attribute("x")]
    func kinds(_ new: PropertyDescription) throws -> [ModelMismatch.Kind] {
      try Self.evolution(from: old, to: old + [new]).mismatches.map(\.kind)
    }
    #expect(try kinds(Self.attribute("y")) == [.missingDefault])
    #expect(try kinds(Self.attribute("y", default: .int(7))) == [])
    #expect(try kinds(Self.attribute("y", isOptional: true)) == [])
    #expect(try kinds(Self.attribute("y", options: [.transient])) == [])
  }

  @Test func `needs a default for an attribute that is optional no longer`() throws {
    let old = [Self.attribute("x", isOptional: true)]
    #expect(
      try Self.evolution(from: old, to: [Self.attribute("x")]).mismatches.map(\.kind)
        == [.missingDefaultForNil])
    #expect(
      try Self.evolution(from: old, to: [Self.attribute("x", default: .int(1))]).mismatches
        .isEmpty)
  }

  @Test func `removes only what it is told to`() throws {
    let (old, new) = ([Self.attribute("x"), Self.attribute("y")], [Self.attribute("x")])
    let refused = try Self.evolution(from: old, to: new)
    #expect(refused.mismatches.map(\.kind) == [.removed])
    #expect(refused.mismatches[0].description.contains(#"removing: ["A.y"]"#))
    let allowed = try Self.evolution(
      from: old, to: new,
      removing: DataRemoval(properties: [DataRemoval.Property(entity: "A", property: "y")]))
    #expect(allowed.mismatches.isEmpty)
    #expect(Self.formerNames(allowed) == ["x": "x"])
    let former = ModelOutline(
      try ManagedObjectModel(entities: [Self.entity("A", old), Self.entity("B")]))
    let model = try ManagedObjectModel(entities: [Self.entity("A", old)])
    #expect(
      ModelEvolution(from: former, FormerNames(), to: model).mismatches.map(\.entity) == ["B"])
    let evolution = ModelEvolution(
      from: former, FormerNames(), to: model, removing: DataRemoval(entities: ["B"]))
    #expect(evolution.removedEntities == ["B"])
  }

  @Test func `names every difference at once`() throws {
    let evolution = try Self.evolution(
      from: [
        Self.attribute("a"), Self.attribute("b", .string), Self.attribute("c", isOptional: true),
        Self.attribute("d", .data),
      ],
      to: [
        Self.attribute("b"), Self.attribute("c"), Self.attribute("d", .data, options: [.external]),
        Self.attribute("e"),
      ])
    #expect(
      Set(evolution.mismatches.map { "\($0.property ?? "") \($0.kind)" }).count == 5)
    #expect(evolution.mismatches.allSatisfy { $0.entity == "A" })
  }

  @Test func `refuses an abstract entity that was not`() throws {
    let former = ModelOutline(try ManagedObjectModel(entities: [Self.entity("B")]))
    let model = try ManagedObjectModel(entities: [Self.entity("B", isAbstract: true)])
    #expect(
      ModelEvolution(from: former, FormerNames(), to: model).mismatches.map(\.kind) == [
        .becameAbstract
      ])
  }

  @Test func `follows entities that have another name, and those that inherit from them`() throws {
    let p = Self.entity("P", [Self.attribute("x")])
    let former = ModelOutline(
      try ManagedObjectModel(entities: [p, Self.entity("A", of: p, [Self.attribute("y")])]))
    let q = Self.entity("Q", originalName: "P", [Self.attribute("x")])
    let model = try ManagedObjectModel(entities: [
      q, Self.entity("B", of: q, originalName: "A", [Self.attribute("z", originalName: "y")]),
    ])
    let evolution = ModelEvolution(from: former, FormerNames(), to: model)
    #expect(evolution.mismatches.isEmpty && evolution.removedEntities.isEmpty)
    #expect(evolution.entities.map { $0.former?.name } == ["P", "A"])
    #expect(evolution.entities[1].formerList(["x", "z"]) == ["x", "y"])
  }
}
