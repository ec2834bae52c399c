// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private enum Kind: String, AttributeValue { case city, village }
private enum Paint: String { case red, green }
private enum Level: Int16, Codable {
  case low = 1
  case high
}

private struct Extent: Codable, Equatable, Sendable { var width: Int }

/// Even numbers alone.
private struct Even: AttributeValue {
  let number: Int64

  static var attributeType: AttributeType { .int64 }
  static var zero: Even? { Even(0) }

  init?(_ number: Int64) {
    guard number.isMultiple(of: 2) else { return nil }
    self.number = number
  }

  init?(_ slot: _RecordSlot) {
    guard let number = Int64(slot) else { return nil }
    self.init(number)
  }

  func write(to writer: inout _SlotWriter) { number.write(to: &writer) }
  var value: PropertyValue { number.value }

  init?(value: PropertyValue) {
    guard let number = Int64(value: value) else { return nil }
    self.init(number)
  }
}

@Entity private final class Sign: ManagedObject {
  var number: Int = 0
  var kind: Kind = Kind.city
  var colour: Paint?
  var level: Level = Level.low
  var size: Extent?
  var weight: Even = Even(0)!
  @Attribute(.transient) var shade: Paint?
}

private func signs(_ count: Int = 1) throws -> PersistentContainer {
  let container = try PersistentContainer(inMemory: ManagedObjectModel(Sign.self))
  try container.root.performAndWait { context in
    for number in 0..<count { Sign(context: context).number = number }
    try context.save()
  }
  return container
}

private func unfit(_ property: String) -> QueryError {
  .unfitAssignment(entity: "Sign", property: property)
}

/// Values of the stored types that the types of the properties do not have.
private let strangers: [(property: String, value: PropertyValue)] = [
  ("kind", .string("town")), ("colour", .string("RED")), ("level", .int(3)), ("weight", .int(7)),
  ("size", .codable(Data(#"{"height":1}"#.utf8))), ("size", .codable(Data("no JSON".utf8))),
]

/// Values that they do have.
private let fitting: [(property: String, value: PropertyValue)] = [
  ("kind", .string("village")), ("colour", .string("green")), ("level", .int(2)),
  ("weight", .int(8)), ("size", .codable(Data(#"{"width":1}"#.utf8))),
]

@Suite struct `A value that the type of the property does not have` {
  @Test func `is refused by name, and the object stays as it is`() throws {
    try signs().root.performAndWait { context in
      let sign = try #require(try context.fetch(Sign.all).first)
      for (property, value) in strangers {
        #expect(throws: unfit(property), "\(property)") { try sign.setValue(value, for: property) }
      }
      #expect(throws: unfit("shade")) { try sign.setValue(.string("blue"), for: "shade") }
      #expect(!context.hasChanges)
      for (property, value) in fitting {
        try sign.setValue(value, for: property)
        #expect(try sign.value(for: property) == value)
      }
      try sign.setValue(.null, for: "colour")
      #expect(sign.kind == .village && sign.colour == nil && sign.level == .high)
      #expect(sign.size == Extent(width: 1) && sign.weight.number == 8)
    }
  }

  @Test func `is refused in the dictionary of a batch, which takes the own types of properties`()
    throws
  {
    let container = try signs(0)
    func insert(_ values: [String: Any?]) throws {
      try container.coordinator.execute(BatchInsertRequest(Sign.self), dictionaries: [values])
    }
    for (property, value) in strangers {
      let error = #expect(throws: BatchRowError.self) { try insert([property: value]) }
      #expect(error?.underlyingError as? QueryError == unfit(property), "\(property)")
    }
    for (property, value) in [("kind", "town"), ("colour", "blue"), ("level", 9)] as [(String, Any)]
    {
      let error = #expect(throws: BatchRowError.self) { try insert([property: value]) }
      #expect(error?.underlyingError as? QueryError == unfit(property), "\(property)")
    }
    // Another Codable type, of the same form.
    struct Other: Codable { var width: Int }
    let error = #expect(throws: BatchRowError.self) { try insert(["size": Other(width: 1)]) }
    #expect(error?.underlyingError as? QueryError == unfit("size"))
    try insert(["number": 1, "kind": Kind.village, "colour": Paint.green, "level": Level.high])
    try insert(["number": 2, "kind": "village", "colour": "green", "level": 2, "weight": 4])
    try insert(["number": 3, "size": Extent(width: 5), "weight": Even(6)])
    try insert(["number": 4, "size": Optional(Extent(width: 6)), "colour": nil])
    try insert(["number": 5, "size": nil as Extent?, "colour": nil as Paint?])
    try container.root.performAndWait { context in
      let signs = try context.fetch(Sign.all.sorted(by: \.number))
      #expect(signs.map(\.kind) == [.village, .village, .city, .city, .city])
      #expect(signs.map(\.colour) == [.green, .green, nil, nil, nil])
      #expect(signs.map(\.level) == [.high, .high, .low, .low, .low])
      #expect(signs.map(\.size) == [nil, nil, Extent(width: 5), Extent(width: 6), nil])
      #expect(signs.map(\.weight.number) == [0, 4, 6, 0, 0])
    }
  }

  @Test func `is refused by a batch update, also where it is calculated`() throws {
    let container = try signs(3)
    func update(_ property: String, _ format: String) throws {
      try container.coordinator.execute(
        BatchUpdateRequest(Sign.all).setting(property, format: format))
    }
    #expect(throws: unfit("kind")) { try update("kind", "'town'") }
    #expect(throws: unfit("colour")) { try update("colour", "'blue'") }
    #expect(throws: unfit("level")) { try update("level", "number + 1") }
    #expect(throws: unfit("weight")) { try update("weight", "number") }
    try update("kind", "'village'")
    try update("weight", "number * 2")
    try container.root.performAndWait { context in
      let signs = try context.fetch(Sign.all.sorted(by: \.number))
      #expect(signs.map(\.kind) == [.village, .village, .village])
      #expect(signs.map(\.level) == [.low, .low, .low])
      #expect(signs.map(\.weight.number) == [0, 2, 4])
    }
  }

  @Test func `is a mistake of a custom policy`() throws {
    func save(_ decision: @escaping @Sendable (MergePolicy.Conflict) -> [String: PropertyValue])
      throws -> String
    {
      let container = try signs()
      let other = ContextQueue(parent: container.coordinator)
      try other.performAndWait { context in
        try #require(try context.fetch(Sign.all).first).kind = .village
      }
      try container.root.performAndWait { context in
        try #require(try context.fetch(Sign.all).first).number = 5
        try context.save()
      }
      return try other.performAndWait { context in
        context.mergePolicy = .custom("values") { .values(decision($0)) }
        try context.save()
        return try #require(try context.fetch(Sign.all).first).kind.rawValue
      }
    }
    for (property, value) in strangers {
      let error = #expect(throws: StoreError.self) { _ = try save { _ in [property: value] } }
      guard case .mergePolicyMistakes(let mistakes) = error else {
        Issue.record("\(property): \(String(describing: error))")
        continue
      }
      #expect(mistakes.map(\.cause) == [.unfitValue(property: property)])
    }
    #expect(try save { _ in ["kind": .string("city"), "size": .null] } == "city")
    #expect(try save { $0.ourValues ?? [:] } == "village")
    #expect(try save { $0.theirValues ?? [:] } == "city")
  }
}
