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

  @Test func `refuses an entity that is listed twice`() {
    let one = entity("A")
    #expect(throws: ModelError.duplicateEntity("A")) {
      try ManagedObjectModel(entities: [one, entity("B", of: one), one])
    }
  }

  @Test func `refuses more than 64 levels of entities, however many`() throws {
    var chain = [entity("E1")]
    for level in 2...100_000 { chain.append(entity("E\(level)", of: chain[chain.count - 1])) }
    #expect(try ManagedObjectModel(entities: [chain[63]]).entities.count == 64)
    #expect(throws: ModelError.tooManySuperentities(entity: "E65")) {
      try ManagedObjectModel(entities: [chain[64]])
    }
    #expect(throws: ModelError.tooManySuperentities(entity: "E100000")) {
      try ManagedObjectModel(entities: [chain[99_999]])
    }
    #expect(throws: ModelError.tooLarge) { try ManagedObjectModel(entities: chain) }
    #expect(chain[63].isKind(of: chain[0]))
    #expect(chain[63].rootEntity === chain[0])
  }

  @Test func `has at most 32,767 entities`() throws {
    let most = (0..<32_767).map { entity("E\($0)") }
    #expect(try ManagedObjectModel(entities: most).entities.count == 32_767)
    #expect(throws: ModelError.tooLarge) {
      try ManagedObjectModel(entities: most + [entity("F")])
    }
  }

  private func wide(
    _ name: String, of superentity: EntityDescription? = nil, propertyCount: Int,
    _ options: Set<AttributeOption> = [], indexes: [[String]] = []
  ) -> EntityDescription {
    EntityDescription(
      name, class: Thing.self, superentity: superentity, indexes: indexes,
      properties: (0..<propertyCount).map { attribute("\(name)\($0)", .string, options) })
  }

  @Test func `has at most 32,767 properties, constraints and indexes`() throws {
    let eight = (0..<8).map { wide("E\($0)", propertyCount: 4_000) }
    _ = try ManagedObjectModel(entities: eight + [wide("F", propertyCount: 767)])
    #expect(throws: ModelError.tooLarge) {
      try ManagedObjectModel(entities: eight + [wide("F", propertyCount: 768)])
    }
    #expect(throws: ModelError.tooLarge) {
      try ManagedObjectModel(
        entities: eight + [wide("F", propertyCount: 767, indexes: [["F0", "F1"]])])
    }
  }

  @Test func `counts an attribute with a full-text index twice`() throws {
    let five = (0..<5).map { wide("E\($0)", propertyCount: 3_276, [.fullText]) }
    _ = try ManagedObjectModel(entities: five)
    #expect(throws: ModelError.tooLarge) {
      try ManagedObjectModel(entities: five + [wide("F", propertyCount: 4, [.fullText])])
    }
  }

  @Test func `has at most 4,095 properties in an entity, inherited ones included`() throws {
    let base = wide("B", propertyCount: 4_000)
    _ = try ManagedObjectModel(entities: [wide("D", of: base, propertyCount: 95)])
    #expect(throws: ModelError.tooLarge) {
      try ManagedObjectModel(entities: [wide("D", of: base, propertyCount: 96)])
    }
  }

  @Test(arguments: [1_000, 100_000])
  func `refuses an outline with more than 64 levels of entities`(count: Int) {
    // The names descend, so that each entity comes before its superentity.
    let entities = (0..<count).map { number in
      ModelOutline.Entity(
        name: "E\(number)", superentity: number + 1 < count ? "E\(number + 1)" : nil,
        isAbstract: false, attributes: [], relationships: [], uniqueTogether: nil, indexes: nil)
    }
    let expected = count > 32_767 ? ModelError.tooLarge : .tooManySuperentities(entity: "E64")
    #expect(throws: expected) {
      try ManagedObjectModel(ModelOutline(entities: entities), class: Thing.self)
    }
    let reversed = ModelOutline(entities: entities.reversed())
    #expect(throws: ModelError.self) { try ManagedObjectModel(reversed, class: Thing.self) }
  }

  @Test(arguments: [
    "", "a.b", "a,b", "a(b", "a)", "a\n", "\u{0}", "\u{7F}", "a\u{85}", "\u{2028}",
    String(repeating: "é", count: 128),
  ])
  func `refuses names that are parts of keys in no way`(name: String) {
    #expect(throws: ModelError.unfitName(entity: name, property: nil)) {
      try ManagedObjectModel(entities: [entity(name)])
    }
    #expect(throws: ModelError.unfitName(entity: "A", property: name)) {
      try ManagedObjectModel(entities: [entity("A", attribute(name))])
    }
  }

  @Test(arguments: [
    "a", "Stadt am Fluß", "الف", "🏙️", "a-b_c:d/e", String(repeating: "é", count: 127),
  ])
  func `takes any other name`(name: String) throws {
    let model = try ManagedObjectModel(entities: [entity(name, attribute(name))])
    #expect(model.entity(named: name)?.slot(named: name) == 0)
  }

  @Test(arguments: [AttributeType.url, .codable])
  func `refuses an attribute without a default whose type has no zero`(type: AttributeType) throws {
    #expect(throws: ModelError.missingDefault(entity: "A", property: "home")) {
      try ManagedObjectModel(entities: [entity("A", attribute("home", type))])
    }
    let optional = AttributeDescription("home", type: type, isOptional: true)
    _ = try ManagedObjectModel(entities: [entity("A", .attribute(optional))])
    let known = AttributeDescription("home", type: type, needsDefault: false)
    _ = try ManagedObjectModel(entities: [entity("A", .attribute(known))])
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
