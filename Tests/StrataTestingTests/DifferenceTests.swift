// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Synchronization
import Testing

@Suite struct `A difference from the expected changes` {
  private let store: TestStore
  private let switzerland: ObjectID
  private let zurich: ObjectID
  private let chur: ObjectID

  init() throws {
    store = try TestStore(atlas(), alps())
    switzerland = try store.objects["switzerland"]
    zurich = try store.objects["zurich"]
    chur = try store.objects["chur"]
  }

  /// The differences of `body` in the root from `expected`.
  private func lines(
    at location: SourceLocation = #_sourceLocation,
    of body: @Sendable (ManagedObjectContext) throws -> Void,
    @ExpectedChanges to expected: @Sendable () -> [any ExpectedChange]
  ) throws -> [String] {
    try store.container.root.performAndWait { context in
      try differences(at: location) {
        try expectChanges(in: context) {
          try body(context)
        } to: {
          expected()
        }
      }
    }
  }

  @Test func `is a line for a change that was not expected`() throws {
    let lines = try lines { [zurich, chur] context in
      let city = try context.existingObject(City.self, with: zurich)
      (city.population, city.rank, city.country) = (430_000, .port, nil)
      context.delete(try context.existingObject(City.self, with: chur))
      let bern = City(context: context)
      (bern.name, bern.population) = ("Bern", 134_000)
      _ = Language(context: context)
    } to: {
    }
    #expect(
      lines == [
        "City/5: inserted, which was not expected (name: \"Bern\", population: 134000)",
        "Language/6: inserted, which was not expected",
        "City/3.population: 421878 → 430000, which was not expected",
        "City/3.rank: nil → \"port\", which was not expected",
        "City/3.country: Country/1 → nil, which was not expected",
        "City/4: deleted, which was not expected (name: \"Chur\", country: Country/1)",
      ])
  }

  @Test func `is a line for a change that did not happen`() throws {
    let lines = try lines { _ in
    } to: {
      Updated(zurich, \City.population, from: 421_878, to: 430_000)
      Deleted(chur)
      Inserted(City.self).setting(\.name, to: "Bern")
      Inserted(Language.self)
    }
    #expect(
      lines == [
        "City/3.population: expected 421878 → 430000, but it is 421878 as before",
        "City/4: expected to be deleted, but it is still there",
        "City (name: \"Bern\"): expected to be inserted, but no such object was",
        "Language: expected to be inserted, but no such object was",
      ])
  }

  @Test func `is a line for a value before or after that is another one`() throws {
    let lines = try lines { [zurich] context in
      let city = try context.existingObject(City.self, with: zurich)
      (city.name, city.population) = ("Zurich", 430_000)
    } to: {
      Updated(zurich, \City.population, from: 421_878, to: 425_000)
      Updated(zurich, \City.name, from: "Turicum", to: "Zurich")
    }
    #expect(
      lines == [
        "City/3.population: expected 421878 → 425000, found 421878 → 430000",
        "City/3.name: expected \"Turicum\" → \"Zurich\", found \"Zürich\" → \"Zurich\"",
      ])
  }

  @Test func `of a new object is a line for each value`() throws {
    let lines = try lines { context in
      for (name, population) in [("Bern", 133_000), ("Basel", 178_000), ("Biel", 0)] {
        let city = City(context: context)
        (city.name, city.population) = (name, population)
      }
    } to: {
      Inserted(City.self).setting(\.name, to: "Genf").setting(\.population, to: 1)
      Inserted(City.self).setting(\.name, to: "Bern").setting(\.population, to: 134_000)
      Inserted(City.self).setting(\.name, to: "Basel")
    }
    #expect(
      lines == [
        "City/5.population: expected 134000 in the new object, found 133000",
        "City/6.population: expected 0 in the new object, found 178000",
        "City (name: \"Genf\", population: 1): expected to be inserted, but no such object was",
        "City/7: inserted, which was not expected (name: \"Biel\")",
      ])
  }

  @Test func `matches equal new objects one by one`() throws {
    let lines = try lines { context in
      for _ in 0..<3 { Language(context: context).code = "de" }
    } to: {
      for _ in 0..<2 { Inserted(Language.self).setting(\.code, to: "de") }
    }
    #expect(lines == ["Language/7: inserted, which was not expected (code: \"de\")"])
  }

  @Test func `is one line where one of thousands of new objects differs`() throws {
    let numbers = 0..<2_000
    let lines = try lines { context in
      for number in numbers {
        let city = City(context: context)
        (city.name, city.population, city.rank) = ("City \(number)", number, .port)
      }
    } to: {
      for number in numbers.reversed() {
        Inserted(City.self).setting(\.name, to: "City \(number)")
          .setting(\.population, to: number == 1_000 ? 7 : number).setting(\.rank, to: .port)
      }
    }
    #expect(lines == ["City/1005.population: expected 7 in the new object, found 1000"])
  }

  @Test func `leaves the only object that fits to the expectation that needs it`() throws {
    let lines = try lines { context in
      for population in [9, 7] {
        let city = City(context: context)
        (city.name, city.population) = ("Bern", population)
      }
    } to: {
      // Both objects fit the first equally, and the second has a value of the first object alone.
      Inserted(City.self).setting(\.name, to: "Bern").setting(\.population, to: 5)
      Inserted(City.self).setting(\.name, to: "Genf").setting(\.population, to: 9)
    }
    #expect(
      lines == [
        "City/6.population: expected 5 in the new object, found 7",
        "City/5.name: expected \"Genf\" in the new object, found \"Bern\"",
      ])
  }

  @Test func `matches as many new objects as possible, along a chain of choices`() throws {
    let numbers = 0..<100
    let lines = try lines { context in
      for number in numbers {
        let city = City(context: context)
        (city.name, city.population) = ("City \(number)", number + 1)
      }
    } to: {
      // Each fits the object of its name and the one before that. The last is expected first, and
      // takes the one before: for the first, nothing is left unless all of them give way.
      for number in numbers.reversed() {
        Inserted(City.self).setting(\.name, to: "City \(number)").setting(\.population, to: number)
      }
    }
    #expect(
      lines
        == numbers.reversed().map {
          "City/\($0 + 5).population: expected \($0) in the new object, found \($0 + 1)"
        })
  }

  @Test func `says that an object was deleted, inserted or never there`() throws {
    let made = Mutex<ObjectID?>(nil)
    let other = try TestStore(atlas(), alps()).objects["zurich"]
    let lines = try lines { [chur] context in
      context.delete(try context.existingObject(City.self, with: chur))
      let bern = City(context: context)
      made.withLock { $0 = bern.objectID }
    } to: {
      Updated(chur, \City.name, from: "Chur", to: "Coire")
      Deleted(chur)
      Deleted(chur)
      if let bern = made.withLock({ $0 }) { Updated(bern, \City.name, from: "", to: "Bern") }
      Updated(other, \City.name, from: "Zürich", to: "Zurich")
      Deleted(other)
      Inserted(City.self)
    }
    #expect(
      lines == [
        "City/4.name: expected \"Chur\" → \"Coire\", but the object was deleted",
        "City/4: expected to be deleted, twice",
        "City/5.name: expected \"\" → \"Bern\", but the object was inserted: expect Inserted, with "
          + "this value",
        "City/3.name: expected \"Zürich\" → \"Zurich\", but there is no such object",
        "City/3: expected to be deleted, but it was not there",
      ])
  }

  @Test func `says that a property cannot be compared, and why`() throws {
    let lines = try lines { _ in
    } to: {
      Updated(switzerland, \Country.cities, from: [zurich, chur], to: [zurich])
      Updated(zurich, \City.note, from: nil, to: "seen")
      Updated(zurich, "nmae", from: .null, to: .null)
      Inserted(Country.self).setting(\.cities, to: [zurich])
      Inserted(entityName: "Town").setting("name", to: .string("Bern"))
    }
    #expect(
      lines == [
        "Country/1.cities: links are compared at the inverse: expect the change there",
        "City/3.note: a transient attribute is not compared",
        "City/3.nmae: City has no stored property nmae",
        "Country.cities: links are compared at the inverse: expect the change there",
        "Town: the model has no such entity that has objects",
      ])
  }

  @Test func `says that a key path reads no stored property`() throws {
    let lines = try lines { _ in
    } to: {
      Updated(zurich, \City.isFault, from: true, to: false)
    }
    #expect(lines.count == 1 && lines[0].contains(": City has no stored property "))
  }

  @Test func `shows each type of value on one line`() throws {
    let sample = Mutex<ObjectID?>(nil)
    try store.container.root.performAndWait { context in
      let new = Sample(context: context)
      sample.withLock { $0 = new.objectID }
      try context.save()
    }
    let id = try #require(sample.withLock { $0 })
    let lines = try lines { context in
      let sample = try context.existingObject(Sample.self, with: id)
      (sample.bool, sample.float, sample.double) = (true, 0.5, .nan)
      sample.decimal = 12.5
      sample.text = "a\nb"
      sample.data = Data(repeating: 10, count: 17)
      sample.picture = Data([1])
      sample.date = Date(timeIntervalSinceReferenceDate: 0)
      sample.uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000001")
      sample.url = URL(string: "https://example.org")
      sample.address = Address(city: "Bern", street: "Quai")
    } to: {
    }
    #expect(
      lines.map { $0.replacing(", which was not expected", with: "") } == [
        "Sample/5.bool: false → true", "Sample/5.float: 0.0 → 0.5", "Sample/5.double: 0.0 → nan",
        "Sample/5.decimal: 0 → 12.5", "Sample/5.text: nil → \"a\\nb\"",
        "Sample/5.data: nil → 17 bytes 0x0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a…",
        "Sample/5.picture: nil → 1 byte 0x01", "Sample/5.date: nil → 2001-01-01T00:00:00Z",
        "Sample/5.uuid: nil → 00000000-0000-0000-0000-000000000001",
        "Sample/5.url: nil → https://example.org",
        "Sample/5.address: nil → {\"city\":\"Bern\",\"street\":\"Quai\"}",
      ])
    try store.container.root.performAndWait { context in
      try expectChanges(in: context) {
      } to: {
      }
    }
  }

  @Test func `is at the place of the call`() throws {
    let place = Mutex<SourceLocation?>(nil)
    let line = #line + 4
    try store.container.root.performAndWait { context in
      try withKnownIssue {
        try expectChanges(in: context) {
        } to: {
          Deleted(zurich)
        }
      } matching: { issue in
        place.withLock { $0 = issue.sourceLocation }
        return true
      }
    }
    let found = try #require(place.withLock { $0 })
    #expect(found.fileID == #fileID && abs(found.line - line) <= 1)
  }
}
