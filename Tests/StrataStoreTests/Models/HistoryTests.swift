// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// The expected content of the store, in dictionaries.
private struct Naive {
  struct City: Equatable {
    var name: String?
    var population: Int64?
    var country: ObjectKey?
  }

  var cities: [ObjectKey: City] = [:]
  var countries: Set<ObjectKey> = []
  var tags: Set<ObjectKey> = []
  var tagged: Set<[ObjectKey]> = []
}

/// Applies random edits and saves to a store and to dictionaries, and compares the two both ways.
private struct History: Model {
  var random: ModelRandom
  private let opened: OpenedStore
  private var naive = Naive()
  /// The next save, and the expected content after it.
  private var edit: Edit
  private var next = Naive()

  init(_ random: ModelRandom, _ kind: StoreKind) throws {
    self.random = random
    opened = try OpenedStore(kind)
    edit = Edit(opened.store)
  }

  private var store: any PersistentStore { opened.store }

  static var operations: [ModelOperation<History>] {
    [
      ModelOperation("insert a country") {
        $0.next.countries.insert($0.edit.insert(Atlas.country))
      },
      ModelOperation("insert a tag") { $0.next.tags.insert($0.edit.insert(Atlas.tag)) },
      ModelOperation("insert a city", weight: 4) { $0.insertCity() },
      ModelOperation("update a city", weight: 3) { try $0.updateCity() },
      ModelOperation("delete a city") { try $0.deleteCity() },
      ModelOperation("link or unlink", weight: 2) { $0.link() },
      ModelOperation("save") { try $0.save() },
    ]
  }

  mutating func finish() throws { try save() }

  /// Saves the edits since the last save, and compares.
  @discardableResult
  mutating func save() throws -> WriteCount {
    let count = try edit.save().writes
    naive = next
    edit = Edit(store)
    try compare()
    return count
  }

  private mutating func insertCity() {
    let city = randomCity()
    next.cities[edit.insert(Atlas.city, values(city))] = city
  }

  private mutating func randomCity() -> Naive.City {
    Naive.City(
      name: name(), population: Bool.random(using: &random) ? number() : nil,
      country: next.countries.sorted().randomElement(using: &random))
  }

  /// Short and long, few and many, equal in their first 255 bytes or not.
  private mutating func name() -> String? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: nil
    case 1: String(repeating: "long ", count: Int.random(in: 40...80, using: &random))
    case 2: ["", "\u{0}", "\u{1}b", "é", "e\u{301}", "🏙"].randomElement(using: &random)
    default: "city \(Int.random(in: 0..<30, using: &random))"
    }
  }

  private mutating func number() -> Int64 {
    Bool.random(using: &random)
      ? Int64.random(in: -3...3, using: &random) : Int64.random(in: .min ... .max, using: &random)
  }

  private func values(_ city: Naive.City) -> [String: PropertyValue] {
    [
      "name": city.name.map(PropertyValue.string) ?? .null,
      "population": city.population.map(PropertyValue.int) ?? .null,
      "country": city.country.map { .object(store.id($0)) } ?? .null,
    ]
  }

  private mutating func updateCity() throws {
    guard let key = next.cities.keys.sorted().randomElement(using: &random) else { return }
    let city = randomCity()
    if edit.changes[key]?.kind == .insert {
      edit.insert(Atlas.city, values(city), key: key)
    } else {
      try edit.update(key, values(city))
    }
    next.cities[key] = city
  }

  private mutating func deleteCity() throws {
    guard let key = naive.cities.keys.sorted().randomElement(using: &random),
      next.cities[key] != nil
    else { return }
    try delete(key)
  }

  private mutating func delete(_ key: ObjectKey) throws {
    try edit.delete(key)
    edit.links.filter { place, target, _ in place.owner != key && target != key }
    next.cities[key] = nil
    next.tagged = next.tagged.filter { $0[0] != key }
  }

  private mutating func link() {
    guard let city = next.cities.keys.sorted().randomElement(using: &random),
      let tag = next.tags.sorted().randomElement(using: &random)
    else { return }
    if next.tagged.remove([city, tag]) != nil {
      edit.unlink(city, "tags", from: tag)
    } else {
      next.tagged.insert([city, tag])
      edit.link(city, "tags", to: tag)
    }
  }

  // MARK: - Most of the store at once

  /// The cities that the store has and keeps, so far.
  var savedCities: [ObjectKey] {
    naive.cities.keys.filter { next.cities[$0] != nil }.sorted()
  }

  mutating func updateNumbers() throws {
    for key in savedCities where !random.chance(20) {
      let number = number()
      try edit.update(key, ["population": .int(number)])
      next.cities[key]?.population = number
    }
  }

  mutating func updateAll() throws {
    for key in savedCities {
      let city = randomCity()
      try edit.update(key, values(city))
      next.cities[key] = city
    }
  }

  mutating func deleteMost() throws {
    for key in savedCities where !random.chance(10) { try delete(key) }
  }

  mutating func deleteAll() throws {
    for key in savedCities { try delete(key) }
  }

  /// Deletes all objects in a save of its own: their trees are emptied, whatever led to them.
  mutating func deleteEverything() throws {
    try save()
    for key in naive.cities.keys.sorted() + naive.countries.sorted() + naive.tags.sorted() {
      try edit.delete(key)
    }
    next = Naive()
  }

  mutating func insertMany() {
    next.tags.insert(edit.insert(Atlas.tag))
    for _ in 0..<Int.random(in: 20...300, using: &random) { insertCity() }
    for _ in 0..<40 { link() }
  }

  // MARK: - Comparing

  private func compare() throws {
    try compareRecords()
    try compareIndex("name") { $0.name.map(PropertyValue.string) }
    try compareIndex("population") { $0.population.map(PropertyValue.int) }
    try compareIndex("country") { $0.country.map { .object(store.id($0)) } }
    for city in naive.cities.keys {
      let expected = Set(naive.tagged.filter { $0[0] == city }.map { $0[1] })
      try expectSame(Set(store.targets("tags", of: city).keys), expected, "tags of \(city)")
    }
    for tag in naive.tags {
      let expected = Set(naive.tagged.filter { $0[1] == tag }.map { $0[0] })
      try expectSame(Set(store.targets("cities", of: tag).keys), expected, "cities of \(tag)")
    }
  }

  private func compareRecords() throws {
    let entity = store.schema.of(Atlas.city)
    var found: [ObjectKey] = []
    try store.snapshot().scanRecords(of: entity.number) { key, _, _ in
      found.append(key)
      return .more
    }
    try expectSame(found, naive.cities.keys.sorted(), "cities")
    for (key, city) in naive.cities {
      let (name, population) = (
        city.name.map(PropertyValue.string), city.population.map(PropertyValue.int)
      )
      try expectSame(store.value("name", of: key), name ?? .null, "name of \(key)")
      try expectSame(
        store.value("population", of: key), population ?? .null, "population of \(key)")
    }
  }

  /// The index holds each city once, under its value, in the order of values and then of keys.
  private func compareIndex(_ name: String, _ value: (Naive.City) -> PropertyValue?) throws {
    let index = store.schema.index(name, of: Atlas.city)
    let expected = naive.cities.map { key, city in
      var bytes: [UInt8] = []
      KeyEncoder.append(value: value(city) ?? .null, kind: index.kind, to: &bytes)
      KeyEncoder.append(objectKey: key, to: &bytes)
      return bytes
    }.sorted { $0.precedes($1) }
    for isReversed in [false, true] {
      guard
        try entries(index, KeyRange(), isReversed)
          == (isReversed ? expected.reversed() : expected)
      else { throw ModelDifference("index \(name) differs, reversed \(isReversed)") }
      guard expected.count > 4 else { continue }
      let range = KeyRange(lower: expected[1], upper: expected[expected.count - 2])
      let middle = Array(expected[1..<(expected.count - 2)])
      guard
        try entries(index, range, isReversed) == (isReversed ? middle.reversed() : middle)
      else { throw ModelDifference("a range of index \(name) differs, reversed \(isReversed)") }
    }
  }

  private func entries(
    _ index: IndexSchema, _ range: KeyRange, _ isReversed: Bool
  ) throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    try store.snapshot().scanIndex(index.number, in: range, isReversed: isReversed) { entry, key in
      entries.append([UInt8](entry))
      return .more
    }
    return entries
  }
}

/// A history with saves that change nearly all cities: trees are emptied and rewritten then.
private struct Sweeps: Model {
  private var history: History

  var random: ModelRandom {
    get { history.random }
    set { history.random = newValue }
  }

  init(_ random: ModelRandom, _ kind: StoreKind) throws {
    history = try History(random, kind)
  }

  static var operations: [ModelOperation<Sweeps>] {
    let edits = History.operations.map { edit in
      ModelOperation<Sweeps>(edit.name, weight: edit.weight) { try edit.body(&$0.history) }
    }
    return edits + [
      sweep("insert many", weight: 2) { $0.insertMany() },
      sweep("update most numbers") { try $0.updateNumbers() },
      sweep("update all") { try $0.updateAll() },
      sweep("delete most") { try $0.deleteMost() },
      sweep("delete all") { try $0.deleteAll() },
      sweep("delete everything") { try $0.deleteEverything() },
      sweep("replace all") { history in
        try history.deleteAll()
        history.insertMany()
      },
    ]
  }

  mutating func finish() throws { try history.finish() }

  /// An operation that saves the changes of `body` to the cities of the store, and many cities if
  /// it has none.
  private static func sweep(
    _ name: String, weight: Int = 1, _ body: @escaping (inout History) throws -> Void
  ) -> ModelOperation<Sweeps> {
    ModelOperation(name, weight: weight) { model in
      if model.history.savedCities.isEmpty {
        model.history.insertMany()
      } else {
        try body(&model.history)
      }
      let writes = try model.history.save()
      for _ in 0..<writes.treesRewritten { model.history.random.count("tree rewritten") }
      for _ in 0..<writes.treesEmptied { model.history.random.count("tree emptied") }
    }
  }
}

@Suite struct `A random history` {
  @Test(arguments: StoreKind.allCases)
  func `leaves records, indexes and links as a naive model has them`(_ kind: StoreKind) async {
    let failure = await ModelTest("history, \(kind)", sequences: 2, steps: 780) {
      try History($0, kind)
    }.firstFailure()
    #expect(failure == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `of saves that change most of the store leaves it as a naive model has it`(
    _ kind: StoreKind
  ) async {
    let failure = await ModelTest(
      "sweeps, \(kind)", sequences: 2, steps: 120,
      meets: ["tree rewritten": 12, "tree emptied": 4]
    ) { try Sweeps($0, kind) }.firstFailure()
    #expect(failure == nil)
  }
}
