// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// All kinds of values under rules.
@Entity private final class Measurement: ManagedObject {
  @Attribute(.required) var label: String
  @Attribute(.range(0...0.1)) var share: Float
  @Attribute(.range((-1)...1)) var offset: Double?
  @Attribute(.range(3...)) var count: UInt8 = 3
  @Attribute(.range(...Decimal(100))) var price: Decimal = 0
  @Attribute(.range(Date(timeIntervalSinceReferenceDate: 0)...)) var date: Date?
  @Attribute(.length(...4)) var bytes: Data?
  @Attribute(.transient, .length(...2)) var draft: String?
  @Attribute(.length(2...), .matches(".*x")) var text: String?
}

private func measurements() throws -> PersistentContainer {
  try PersistentContainer(inMemory: ManagedObjectModel(Measurement.self))
}

@Suite struct `A rule of an attribute` {
  /// Expects the failures of a save of a measurement.
  private func expect(
    _ expected: [String], at location: SourceLocation = #_sourceLocation,
    _ edit: @Sendable (Measurement) -> Void
  ) throws {
    let refusals = try measurements().root.performAndWait { context in
      let measurement = Measurement(context: context)
      measurement.label = "A"
      edit(measurement)
      return try context.refusals()
    }
    #expect(refusals == expected, sourceLocation: location)
  }

  private let dateRange =
    "Measurement.date .range(\(Date(timeIntervalSinceReferenceDate: 0))...)"

  @Test func `lets a save through whose values obey it`() throws {
    try expect([]) { measurement in
      measurement.share = 0.1
      measurement.offset = -1
      measurement.count = 255
      measurement.price = 100
      measurement.date = Date(timeIntervalSinceReferenceDate: 0)
      measurement.bytes = Data([1, 2, 3, 4])
      measurement.text = "fox"
    }
  }

  @Test func `for a range refuses values below or above it`() throws {
    try expect(["Measurement.share .range(0.0...0.1)"]) { $0.share = 0.11 }
    try expect(["Measurement.share .range(0.0...0.1)"]) { $0.share = -0.01 }
    try expect(["Measurement.offset .range(-1...1)"]) { $0.offset = 1.5 }
    try expect(["Measurement.count .range(3...)"]) { $0.count = 2 }
    try expect(["Measurement.price .range(...100)"]) { $0.price = 100.01 }
    try expect([dateRange]) { $0.date = Date(timeIntervalSinceReferenceDate: -1) }
  }

  @Test func `for a range refuses NaN`() throws {
    try expect(["Measurement.offset .range(-1...1)"]) { $0.offset = .nan }
    try expect(["Measurement.price .range(...100)"]) { $0.price = .nan }
    try expect([dateRange]) { $0.date = Date(timeIntervalSinceReferenceDate: .nan) }
  }

  @Test func `for a length counts characters of text and bytes of data`() throws {
    // One character of seven scalars.
    let family = "👨‍👩‍👧‍👦"
    try expect([]) { $0.draft = family + family }
    try expect(["Measurement.draft .length(0...2)"]) { $0.draft = "abc" }
    try expect(["Measurement.bytes .length(0...4)"]) { $0.bytes = Data(count: 5) }
  }

  @Test func `for a pattern wants the whole of the text to match`() throws {
    try expect([]) { $0.text = "xx" }
    try expect([#"Measurement.text .matches(".*x")"#]) { $0.text = "xy" }
  }

  @Test func `is broken along with others`() throws {
    try expect([
      "Measurement.count .range(3...)", "Measurement.text .length(2...)",
      #"Measurement.text .matches(".*x")"#,
    ]) {
      $0.text = "y"
      $0.count = 0
    }
  }

  @Test func `lets nil be, unless a value is required`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      team.code = nil
      try context.expectRefusals(["Team.code .required"])
      team.code = "RED"
      try context.expectRefusals([])
      team.code = nil
      try context.expectRefusals(["Team.code .required"])
    }
  }

  @Test func `requires a set value if the type has no nil`() throws {
    try measurements().root.performAndWait { context in
      let measurement = Measurement(context: context)
      try context.expectRefusals(["Measurement.label .required"])
      measurement.label = ""
      try context.expectRefusals([])
    }
  }

  @Test func `takes the value that an unset attribute reads as`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      let nameless = Team(context: context)
      nameless.code = "XX"
      nameless.players.insert(context.player("A"))
      nameless.players.insert(context.player("B"))
      #expect(nameless.name == "" && nameless.rank == 1)
      try context.expectRefusals(["Team.name .length(1...12)"])
      nameless.name = team.name
      try context.expectRefusals([])
    }
  }

  @Test func `is asked of changed objects alone, of all that they have`() throws {
    try republic().root.performAndWait { context in
      let (team, other) = (context.team("Reds"), context.team("Blues"))
      try context.save()
      team.rank = 0
      other.name = ""
      let failures = try #require(
        #expect(throws: ContextError.self) { try context.save() }?.failures)
      #expect(failures.map(\.objectID) == [team.objectID, other.objectID])
      #expect(failures.map(\.property) == ["rank", "name"])
      #expect(failures.map(\.value) == [.int(0), .string("")])
      context.refresh(other, mergeChanges: false)
      try context.expectRefusals(["Team.rank .range(1...20)"])
    }
  }
}
