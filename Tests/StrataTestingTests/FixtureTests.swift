// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Testing

private func fixture(_ json: String) throws -> Fixture { try Fixture(json: Data(json.utf8)) }

/// A store with the objects of JSON, and a context with them.
private func inserted(
  _ json: String, _ body: @Sendable (ManagedObjectContext, FixtureObjects) throws -> Void
) throws {
  let store = try TestStore(atlas(), fixture(json))
  let objects = store.objects
  try store.container.root.performAndWait { try body($0, objects) }
}

/// The mistakes of JSON that cannot be inserted.
private func mistakes(
  of json: String, at location: SourceLocation = #_sourceLocation
) throws -> [FixtureError.Mistake] {
  let error = try #require(throws: FixtureError.self, sourceLocation: location) {
    _ = try TestStore(atlas(), fixture(json))
  }
  return error.mistakes
}

@Suite struct `A fixture of JSON` {
  @Test func `has a value of each type`() throws {
    try inserted(
      """
      {"Sample": {"a": {
        "bool": true, "int": -5, "small": -128, "unsigned": 65535, "float": 0.5, "double": 1e-3,
        "decimal": 0.10, "text": "Zürich \\u2028", "data": "AQID", "picture": "BAUG",
        "date": "2026-01-31T12:00:00Z", "uuid": "00000000-0000-0000-0000-000000000001",
        "url": "https://example.org/a", "address": {"street": "Quai 1", "city": "Bern"}}}}
      """
    ) { context, objects in
      let sample = try context.existingObject(Sample.self, with: objects["a"])
      #expect(sample.bool && sample.int == -5 && sample.small == -128 && sample.unsigned == 65_535)
      #expect(sample.float == 0.5 && sample.double == 0.001)
      #expect(sample.decimal == Decimal(string: "0.1"))
      #expect(sample.text == "Zürich \u{2028}")
      #expect(sample.data == Data([1, 2, 3]) && sample.picture == Data([4, 5, 6]))
      #expect(sample.date?.timeIntervalSince1970 == 1_769_860_800)
      #expect(sample.uuid?.uuidString.hasSuffix("01") == true)
      #expect(sample.url?.absoluteString == "https://example.org/a")
      #expect(sample.address == Address(city: "Bern", street: "Quai 1"))
      sample.address = Address(city: "Bern", street: "Quai 1")
      #expect(sample.changedValues().isEmpty)
    }
  }

  @Test func `has dates with fractions, with a time zone, and as seconds since 2001`() throws {
    try inserted(
      """
      {"Sample": {"a": {"date": "2001-01-01T00:00:00.250Z"}, "b": {"date": 0.25},
        "c": {"date": "2001-01-01T01:00:00+01:00"}}}
      """
    ) { context, objects in
      for (name, seconds) in [("a", 0.25), ("b", 0.25), ("c", 0)] {
        let sample = try context.existingObject(Sample.self, with: objects[name])
        #expect(sample.date?.timeIntervalSinceReferenceDate == seconds, "\(name)")
      }
    }
  }

  @Test func `gives properties that it leaves out, or that are null, their values of a new object`()
    throws
  {
    try inserted(#"{"City": {"a": {"name": "Bern", "rank": null, "country": null}}}"#) {
      context, objects in
      let city = try context.existingObject(City.self, with: objects["a"])
      #expect(city.population == 0 && city.rank == nil && city.country == nil)
    }
  }

  @Test func `leads to objects further up and further down, and sets inverses`() throws {
    try inserted(
      """
      {"Country": {"a": {"iso": "CH", "neighbours": ["b"], "languages": ["de"],
                         "cities": ["bern"], "government": "council"},
                   "b": {"iso": "IT"}},
       "City": {"bern": {"name": "Bern"}}, "Language": {"de": {"code": "de"}},
       "Government": {"council": {"form": "council"}}}
      """
    ) { context, objects in
      let (a, b) = try (
        context.existingObject(Country.self, with: objects["a"]),
        context.existingObject(Country.self, with: objects["b"])
      )
      #expect(a.neighbours.map(\.iso) == ["IT"] && b.neighbours.map(\.iso) == ["CH"])
      #expect(a.languages.flatMap { $0.countries.map(\.iso) } == ["CH"])
      #expect(a.cities.map(\.country) == [a] && a.government?.country == a)
    }
  }

  @Test func `keeps the order of an ordered relationship`() throws {
    try inserted(
      """
      {"Route": {"r": {"name": "Alps", "stops": ["c", "a", "b"]}},
       "City": {"a": {"name": "a"}, "b": {"name": "b"}, "c": {"name": "c"}}}
      """
    ) { context, objects in
      let route = try context.existingObject(Route.self, with: objects["r"])
      #expect(route.stops.map(\.name) == ["c", "a", "b"])
    }
  }

  @Test func `has objects without names in an array`() throws {
    try inserted(#"{"Language": [{"code": "de"}, {"code": "fr"}]}"#) { context, objects in
      let codes = try context.fetch(Language.all).map(\.code)
      #expect(Set(codes) == ["de", "fr"])
      #expect(objects.ids.isEmpty)
    }
  }

  @Test func `inserts its objects in the order of the text`() throws {
    try inserted(#"{"City": {"b": {"name": "b"}, "a": {"name": "a"}}, "Route": [{"name": "r"}]}"#) {
      context, objects in
      let routes = try context.fetch(Route.all)
      #expect(try objects["b"].shortName == "City/1")
      #expect(try objects["a"].shortName == "City/2")
      #expect(routes.map(\.objectID.shortName) == ["Route/3"])
    }
  }

  @Test func `can be inserted into a context, which does not save it`() throws {
    let store = try TestStore(atlas())
    let alps = try alps()
    try store.container.root.performAndWait { context in
      let objects = try alps.insert(into: context)
      #expect(context.insertedObjects.count == 4 && objects.ids.count == 4)
      context.rollback()
      #expect(try context.count(City.all) == 0)
    }
  }

  @Test func `can be read from a file`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(#"{"Language": {"de": {"code": "de"}}}"#.utf8).write(to: url)
    #expect(try TestStore(atlas(), Fixture(contentsOf: url)).objects.ids.count == 1)
    #expect(throws: CocoaError.self) { try Fixture(contentsOf: url.appending(path: "none")) }
  }

  @Test func `is checked by the rules of the model when it is saved`() throws {
    #expect {
      try TestStore(atlas(), fixture(#"{"Country": [{"iso": "CH"}, {"iso": "CH"}]}"#))
    } throws: { if case StoreError.uniquenessViolations = $0 { true } else { false } }
  }
}

@Suite struct `A mistake of a fixture` {
  @Test func `in the form of the text is named with its place`() throws {
    #expect(try mistakes(of: "{") == [.notJSON(offset: 1, expected: "the name of a member")])
    #expect(try mistakes(of: "[]") == [.unfitForm(part: nil, expected: "an object with entities")])
    #expect(
      try mistakes(of: #"{"City": 1, "Route": {"a": 2}, "Language": [[]]}"#) == [
        .unfitForm(part: "City", expected: "an object with named objects, or an array"),
        .unfitForm(part: "Route a", expected: "an object with properties"),
        .unfitForm(part: "Language 1", expected: "an object with properties"),
      ])
  }

  @Test func `in a name is named: entities, properties, and names of two objects`() throws {
    #expect(try mistakes(of: #"{"Town": [{}, {}]}"#) == [.unknownEntity("Town")])
    #expect(
      try mistakes(of: #"{"City": {"a": {}}, "Route": {"a": {}}}"#) == [.repeatedName("a")])
    #expect(
      try mistakes(of: #"{"City": {"a": {"nmae": "Bern"}}, "Route": [{"stop": []}]}"#) == [
        .unknownProperty(object: "City a", property: "nmae"),
        .unknownProperty(object: "Route 1", property: "stop"),
      ])
    #expect(
      try mistakes(of: #"{"Entry": {"a": {"changedAt": 0}}}"#) == [
        .derivedProperty(object: "Entry a", property: "changedAt")
      ])
  }

  @Test(arguments: [
    ("bool", "1", "true or false"), ("int", "1.5", "an integer of the type int64"),
    ("int", "null", "an integer of the type int64"), ("int", "[]", "an integer of the type int64"),
    ("small", "128", "an integer of the type int8"),
    ("unsigned", "-1", "an integer of the type uint16"),
    ("int", "9223372036854775808", "an integer of the type int64"),
    ("float", "1e39", "a number of the type float"),
    ("double", "\"1\"", "a number of the type double"),
    ("double", "1e309", "a number of the type double"),
    ("double", "\"0x7ff0000000000000\"", "a number of the type double"),
    ("decimal", "\"x\"", "a number of the type decimal"),
    ("decimal", "1e200", "a number of the type decimal"), ("text", "1", "a string"),
    ("data", "\"?\"", "a string in base 64"), ("uuid", "\"1\"", "a UUID"),
    ("date", "\"31.1.2026\"", "a date, as in 2026-01-31T12:00:00Z"),
    ("date", "true", "a date, as in 2026-01-31T12:00:00Z"),
  ])
  func `in a value is named with the form that it should have`(
    property: String, value: String, form: String
  ) throws {
    #expect(
      try mistakes(of: #"{"Sample": {"a": {"\#(property)": \#(value)}}}"#) == [
        .unfitValue(object: "Sample a", property: property, expected: form)
      ])
  }

  @Test func `in a relationship is named with its target`() throws {
    #expect(
      try mistakes(
        of: """
          {"City": {"a": {"country": "b"}, "b": {"country": "c"}, "d": {"country": 1}},
           "Route": {"r": {"stops": ["a", "c", "r"]}, "s": {"stops": "a"}}}
          """) == [
          .unfitTarget(object: "City a", property: "country", target: "b", expected: "Country"),
          .unknownTarget(object: "City b", property: "country", target: "c"),
          .unfitValue(object: "City d", property: "country", expected: "the name of an object"),
          .unknownTarget(object: "Route r", property: "stops", target: "c"),
          .unfitTarget(object: "Route r", property: "stops", target: "r", expected: "City"),
          .unfitValue(
            object: "Route s", property: "stops", expected: "an array of names of objects"),
        ])
  }

  @Test(arguments: [
    "2026-02-30T12:00:00Z", "2025-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z",
    "2026-01-31T12:61:00Z", "2026-01-31T12:00:00Z and more", "2026-01-31T12:00:00",
    "2026-01-31T12:00:00+24:00", "99999-01-31T12:00:00Z", "2026-01-31T12:00:00.Z", "",
  ])
  func `is a date that does not exist, or has more behind it`(date: String) throws {
    #expect(
      try mistakes(of: #"{"Sample": {"a": {"date": "\#(date)"}}}"#) == [
        .unfitValue(
          object: "Sample a", property: "date", expected: "a date, as in 2026-01-31T12:00:00Z")
      ])
  }

  @Test func `is nesting without an end, and the same member twice`() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(
      try mistakes(of: #"{"Sample": {"a": {"address": \#(deep)"#) == [
        .notJSON(offset: 90, expected: "at most 64 levels")
      ])
    #expect(
      try mistakes(of: #"{"City": {"a": {}, "a": {}}}"#) == [
        .notJSON(offset: 22, expected: "each member once")
      ])
  }

  @Test func `is an entity that the model does not have, also without objects`() throws {
    #expect(
      try mistakes(of: #"{"Town": {}, "City": {}, "Village": [{}, {}]}"#) == [
        .unknownEntity("Town"), .unknownEntity("Village"),
      ])
  }

  @Test func `is a second target of a to-one relationship, from either side`() throws {
    #expect(
      try mistakes(
        of: """
          {"Country": {"x": {"cities": ["a", "b", "b"], "government": "g"},
                       "y": {"cities": ["b"], "government": "g"}},
           "City": {"a": {"country": "y"}, "b": {"country": "x"}},
           "Government": {"g": {}}}
          """) == [
          .severalTargets(
            object: "City b", property: "country", targets: ["Country x", "Country y"]),
          .severalTargets(
            object: "Government g", property: "country", targets: ["Country x", "Country y"]),
          .severalTargets(
            object: "City a", property: "country", targets: ["Country x", "Country y"]),
          .severalTargets(
            object: "City b", property: "country", targets: ["Country y", "Country x"]),
        ])
  }

  @Test func `is a to-one relationship of null to which its inverse leads`() throws {
    #expect(
      try mistakes(
        of: """
          {"Government": {"g": {"country": null}, "h": {"country": null}},
           "Country": {"x": {"cities": ["a"], "government": "g"}, "y": {"government": null}},
           "City": {"a": {"country": null}, "b": {"country": null}}}
          """) == [
          .severalTargets(
            object: "Government g", property: "country", targets: ["null", "Country x"]),
          .severalTargets(object: "City a", property: "country", targets: ["Country x", "null"]),
        ])
  }

  @Test func `is shown without characters that change a terminal`() throws {
    let error = try #require(throws: FixtureError.self) {
      _ = try TestStore(atlas(), fixture(#"{"City": {"a": {"\u001b[2J": 1}}}"#))
    }
    #expect("\(error)".contains(#"City a has no property \u{1b}[2J."#))
  }

  @Test func `leaves the context as it was`() throws {
    let store = try TestStore(atlas())
    try store.container.root.performAndWait { context in
      #expect(throws: FixtureError.self) {
        try fixture(#"{"City": {"a": {"name": "Bern"}, "b": {"nmae": 1}}}"#).insert(into: context)
      }
      #expect(context.insertedObjects.isEmpty)
    }
  }

  @Test func `reads as sentences with a remedy`() throws {
    let error = try #require(throws: FixtureError.self) {
      _ = try TestStore(atlas(), fixture(#"{"City": {"a": {"nmae": 1, "country": "x"}}}"#))
    }
    #expect(
      "\(error)" == """
        The fixture cannot be used. There are 2 mistakes. City a has no property nmae. The \
        property country of City a leads to x, and no object has this name. Correct the fixture.
        """)
  }
}

@Suite struct `A fixture of code` {
  @Test func `inserts its objects, and names those that it returns`() throws {
    let fixture = Fixture { context in
      let italy = Country(context: context)
      italy.iso = "IT"
      let rome = City(context: context)
      (rome.name, rome.country) = ("Rome", italy)
      return ["italy": italy]
    }
    let store = try TestStore(atlas(), fixture)
    let italy = try store.objects["italy"]
    try store.container.root.performAndWait { context in
      let country = try context.existingObject(Country.self, with: italy)
      #expect(country.cities.map(\.name) == ["Rome"])
    }
    #expect(store.objects.ids.count == 1)
  }

  @Test func `gives its own errors to the test`() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try TestStore(atlas(), Fixture { _ in throw Refusal() }) }
  }
}

@Suite struct `Looking up a name` {
  @Test func `that the fixture does not have throws, and says so`() throws {
    let store = try TestStore(atlas(), alps())
    let error = try #require(throws: FixtureError.self) { try store.objects["zuerich"] }
    #expect(error.mistakes == [.unknownName("zuerich")])
    #expect(error.localizedDescription == "There is no object zuerich to look up.")
  }
}
