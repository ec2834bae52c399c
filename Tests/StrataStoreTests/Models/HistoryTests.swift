// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// What the store should have, in dictionaries.
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

/// Applies random saves to a store and to dictionaries, and compares the two both ways.
private struct History {
  let store: any PersistentStore
  var random: SeededGenerator
  var naive = Naive()

  mutating func save() throws {
    var edit = Edit(store)
    var next = naive
    for _ in 0..<Int.random(in: 1...20, using: &random) { try step(&edit, &next) }
    try edit.save()
    naive = next
  }

  private mutating func step(_ edit: inout Edit, _ next: inout Naive) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: next.countries.insert(edit.insert(Atlas.country))
    case 1: next.tags.insert(edit.insert(Atlas.tag))
    case 2...5:
      let city = randomCity(next)
      next.cities[edit.insert(Atlas.city, values(city))] = city
    case 6...8: try updateCity(&edit, &next)
    case 9: try deleteCity(&edit, &next)
    default: link(&edit, &next)
    }
  }

  private mutating func randomCity(_ next: Naive) -> Naive.City {
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

  private func values(_ city: Naive.City) -> [String: Value] {
    [
      "name": city.name.map(Value.string) ?? .null,
      "population": city.population.map(Value.int) ?? .null,
      "country": city.country.map { .object(store.id($0)) } ?? .null,
    ]
  }

  private mutating func updateCity(_ edit: inout Edit, _ next: inout Naive) throws {
    guard let key = next.cities.keys.sorted().randomElement(using: &random) else { return }
    let city = randomCity(next)
    if edit.changes[key]?.kind == .insert {
      edit.insert(Atlas.city, values(city), key: key)
    } else {
      try edit.update(key, values(city))
    }
    next.cities[key] = city
  }

  private mutating func deleteCity(_ edit: inout Edit, _ next: inout Naive) throws {
    guard let key = naive.cities.keys.sorted().randomElement(using: &random),
      next.cities[key] != nil
    else { return }
    try delete(key, &edit, &next)
  }

  private func delete(_ key: ObjectKey, _ edit: inout Edit, _ next: inout Naive) throws {
    try edit.delete(key)
    edit.links.filter { place, target, _ in place.owner != key && target != key }
    next.cities[key] = nil
    next.tagged = next.tagged.filter { $0[0] != key }
  }

  private mutating func link(_ edit: inout Edit, _ next: inout Naive) {
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

  /// Saves what changes nearly all cities.
  mutating func sweep() throws -> WriteCount {
    var edit = Edit(store)
    var next = naive
    let cities = naive.cities.keys.sorted()
    switch cities.isEmpty ? 0 : Int.random(in: 0..<7, using: &random) {
    case 0, 1: insertMany(&edit, &next)
    case 2:
      for key in cities where Int.random(in: 0..<20, using: &random) > 0 {
        let number = number()
        try edit.update(key, ["population": .int(number)])
        next.cities[key]?.population = number
      }
    case 3:
      for key in cities {
        let city = randomCity(next)
        try edit.update(key, values(city))
        next.cities[key] = city
      }
    case 4:
      for key in cities where Int.random(in: 0..<10, using: &random) > 0 {
        try delete(key, &edit, &next)
      }
    case 5: for key in cities { try delete(key, &edit, &next) }
    default:
      for key in cities { try delete(key, &edit, &next) }
      insertMany(&edit, &next)
    }
    let count = try edit.save().writes
    naive = next
    return count
  }

  private mutating func insertMany(_ edit: inout Edit, _ next: inout Naive) {
    next.tags.insert(edit.insert(Atlas.tag))
    for _ in 0..<Int.random(in: 20...300, using: &random) {
      let city = randomCity(next)
      next.cities[edit.insert(Atlas.city, values(city))] = city
    }
    for _ in 0..<40 { link(&edit, &next) }
  }

  // MARK: - Comparing

  func check() throws {
    try checkRecords()
    try checkIndex("name") { $0.name.map(Value.string) }
    try checkIndex("population") { $0.population.map(Value.int) }
    try checkIndex("country") { $0.country.map { .object(store.id($0)) } }
    for city in naive.cities.keys {
      let expected = Set(naive.tagged.filter { $0[0] == city }.map { $0[1] })
      #expect(try Set(store.targets("tags", of: city).keys) == expected)
    }
    for tag in naive.tags {
      let expected = Set(naive.tagged.filter { $0[1] == tag }.map { $0[0] })
      #expect(try Set(store.targets("cities", of: tag).keys) == expected)
    }
  }

  private func checkRecords() throws {
    let entity = store.schema.of(Atlas.city)
    var found: [ObjectKey] = []
    try store.snapshot().scanRecords(of: entity.number) { key, _, _ in
      found.append(key)
      return .more
    }
    #expect(found == naive.cities.keys.sorted())
    for (key, city) in naive.cities {
      #expect(try store.value("name", of: key) == city.name.map(Value.string) ?? .null)
      #expect(try store.value("population", of: key) == city.population.map(Value.int) ?? .null)
    }
  }

  /// The index holds each city once, under its value, in the order of values and then of keys.
  private func checkIndex(_ name: String, _ value: (Naive.City) -> Value?) throws {
    let index = store.schema.index(name, of: Atlas.city)
    let expected = naive.cities.map { key, city in
      var bytes: [UInt8] = []
      KeyEncoder.append(value: value(city) ?? .null, kind: index.kind, to: &bytes)
      KeyEncoder.append(objectKey: key, to: &bytes)
      return bytes
    }.sorted { $0.lexicographicallyPrecedes($1) }
    for isReversed in [false, true] {
      #expect(
        try entries(index, KeyRange(), isReversed)
          == (isReversed ? expected.reversed() : expected))
      guard expected.count > 4 else { continue }
      let range = KeyRange(lower: expected[1], upper: expected[expected.count - 2])
      let middle = Array(expected[1..<(expected.count - 2)])
      #expect(
        try entries(index, range, isReversed) == (isReversed ? middle.reversed() : middle))
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

@Suite struct `A random history` {
  @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt64])
  func `leaves records, indexes and links as a naive model has them`(
    _ kind: StoreKind, seed: UInt64
  ) throws {
    try kind.withStore { store in
      var history = History(store: store, random: SeededGenerator(seed: seed))
      for round in 0..<60 {
        try history.save()
        if round % 6 == 0 { try history.check() }
      }
      try history.check()
    }
  }

  /// Trees are emptied and written anew then.
  @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt64])
  func `of saves that change most of the store leaves it as a naive model has it`(
    _ kind: StoreKind, seed: UInt64
  ) throws {
    try kind.withStore { store in
      var history = History(store: store, random: SeededGenerator(seed: seed))
      var (rewrittenCount, emptiedCount) = (0, 0)
      for round in 0..<40 {
        let writes = try history.sweep()
        rewrittenCount += writes.treesRewritten
        emptiedCount += writes.treesEmptied
        if round % 4 == 1 { try history.save() }
        try history.check()
      }
      #expect(rewrittenCount > 5 && emptiedCount > 3, "seed \(seed)")
    }
  }
}
