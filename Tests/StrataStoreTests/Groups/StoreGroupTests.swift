// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Three stores in memory.
private func makeGroup(_ entities: [Set<String>?] = [nil, nil, nil]) throws -> StoreGroup {
  try StoreGroup.open(
    entities.enumerated().map {
      GroupMemberOptions(path: nil, name: "store \($0)", entities: $1)
    }, model: Atlas.model())
}

@Suite struct `A group of stores` {
  /// Keys of new cities, by store.
  private func newCities(_ count: Int, in group: StoreGroup) -> [ObjectKey] {
    let city = group.schema.of(Atlas.city).number
    return (0..<count).map { index in
      let member = group.members[index % group.members.count]
      return ObjectKey(entity: city, serial: member.nextSerial())
    }
  }

  @Test func `gives the objects of each store serials of one range`() throws {
    let group = try makeGroup()
    let keys = newCities(3_000, in: group)
    #expect(Set(keys).count == 3_000)
    for (index, key) in keys.enumerated() {
      #expect(group.place(of: key) == index % 3)
      #expect(key.serialRange == index % 3)
    }
    let city = group.schema.of(Atlas.city).number
    #expect(group.place(of: ObjectKey(entity: city, serial: 5 << 40)) == nil)
    #expect(group.place(of: ObjectKey(entity: city, serial: ObjectKey.serialMax)) == nil)
  }

  @Test(.enabled(if: ProcessRoom.hasFiles(forStores: 128)))
  func `has room for 128 stores, one after the other`() throws {
    let members = (0..<128).map { GroupMemberOptions(path: nil, name: "store \($0)") }
    let model = try ManagedObjectModel(entities: [Atlas.person, Atlas.mayor])
    let group = try StoreGroup.open(members, model: model)
    let mayor = group.schema.of(Atlas.mayor).number
    let last = ObjectKey(entity: mayor, serial: group.members[127].nextSerial())
    #expect(group.place(of: last) == 127)
    #expect(last.serial <= ObjectKey.serialMax / 2 + 1)
    group.close()
    #expect {
      try StoreGroup.open(members + [GroupMemberOptions(path: nil, name: "more")], model: model)
    } throws: {
      if case StoreError.incompatibleStores(.noSerialsLeft) = $0 { true } else { false }
    }
  }

  @Test func `does not leave its range of serials`() throws {
    let group = try makeGroup()
    let city = group.schema.of(Atlas.city).number
    let member = group.members[1]
    var edit = Edit(member)
    edit.insert(Atlas.city, key: ObjectKey(entity: city, serial: 2 << 40 - 1))
    try edit.save()
    // Without a reservation, it is a serial of the range, or one that no store can have.
    let key = ObjectKey(entity: city, serial: member.nextSerial())
    #expect(group.place(of: key) != 2)
  }

  @Test func `refuses the objects of a store that has no serials left, and says so`() throws {
    let group = try makeGroup()
    let city = group.schema.of(Atlas.city).number
    let country = ObjectKey(entity: group.schema.of(Atlas.country).number, serial: 1)
    var last = Edit(group)
    last.insert(Atlas.country, key: country)
    // The last one of the first store's range.
    last.insert(Atlas.city, key: ObjectKey(entity: city, serial: 1 << 40 - 1))
    try last.save()
    let serial = group.takeSerials(upTo: 1, for: city).lowerBound
    #expect(group.place(of: ObjectKey(entity: city, serial: serial)) == nil)
    var edit = Edit(group)
    // It leads to an object of that store, and not to another store.
    edit.insert(
      Atlas.city, ["country": .object(group.id(country))],
      key: ObjectKey(entity: city, serial: serial))
    #expect {
      try edit.save()
    } throws: {
      if case StoreError.serialsExhausted = $0 { true } else { false }
    }
  }

  @Test func `tags a save with the store that has it`() throws {
    let group = try makeGroup()
    for place in [2, 0, 1, 2] {
      var edit = Edit(group)
      edit.insert(Atlas.city, key: newCities(3, in: group)[place])
      let before = try group.snapshot()
      let changeSet = edit.changeSet
      let result = try group.commit(changeSet)
      let tag = try #require(changeSet.segments[0].tag)
      #expect(CommitTag.parts(of: tag).place == place)
      #expect(CommitTag.parts(of: tag).generation == result.generation)
      let after = try group.snapshot()
      #expect(!before.shows(tag))
      #expect(after.shows(tag))
      #expect(after.generation == before.generation + 1)
      #expect(after.generation(ofStoreAt: place) == result.generation)
    }
  }

  @Test func `refuses a save of two stores before it writes to any`() throws {
    let group = try makeGroup()
    let keys = newCities(3, in: group)
    var edit = Edit(group)
    for key in keys.dropFirst() { edit.insert(Atlas.city, key: key) }
    #expect {
      try edit.save()
    } throws: {
      if case StoreError.severalStoresChanged(["store 1", "store 2"]) = $0 { true } else { false }
    }
    #expect(try group.snapshot().generation == 0)
    #expect(edit.changeSet.segments[0].tag == nil)
  }

  @Test func `refuses links of every kind between two stores`() throws {
    let group = try makeGroup()
    let schema = group.schema
    func key(_ entity: EntityDescription, _ place: Int) -> ObjectKey {
      ObjectKey(entity: schema.of(entity).number, serial: group.members[place].nextSerial())
    }
    let (country, city) = (key(Atlas.country, 0), key(Atlas.city, 1))
    let (tag, route) = (key(Atlas.tag, 0), key(Atlas.route, 0))
    var edits: [(name: String, Edit)] = []
    var toOne = Edit(group)
    toOne.insert(Atlas.city, ["country": .object(group.id(country))], key: city)
    edits.append(("country", toOne))
    for (owner, name, target) in [
      (city, "tags", tag), (route, "stops", city), (country, "neighbours", key(Atlas.country, 2)),
    ] {
      var edit = Edit(group)
      edit.link(owner, name, to: target)
      edits.append((name, edit))
    }
    for (name, edit) in edits {
      #expect {
        try edit.save()
      } throws: {
        guard case StoreError.linksAcrossStores(let links) = $0 else { return false }
        return links.contains { $0.property == name }
      }
    }
    #expect(try group.snapshot().generation == 0)
  }

  // MARK: - Reading

  /// Cities with random values in random stores, as the group and a naive list have them.
  @Test(arguments: 1...12)
  func `reads as one store with all the objects`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let group = try makeGroup()
    let alone = try LMDBStore.inMemory(model: Atlas.model())
    defer { for store in [group, alone] as [any PersistentStore] { store.close() } }
    let names = ["a", "b", "c", "d", String(repeating: "long", count: 200)]
    // Some seeds leave a store empty, or have many entries with one value.
    let placeCount = Int.random(in: 1...3, using: &random)
    let places = Array((0..<3).shuffled(using: &random).prefix(placeCount))
    let count = [5, 60, 900, 3_000][seed % 4]
    var edits = places.map { _ in Edit(group) }
    var all = Edit(alone)
    for _ in 0..<count {
      let place = Int.random(in: places.indices, using: &random)
      let city = group.schema.of(Atlas.city).number
      let key = ObjectKey(entity: city, serial: group.members[places[place]].nextSerial())
      let values: [String: PropertyValue] = [
        "name": .string(names.randomElement(using: &random)!),
        "population": .int(Int64.random(in: 0..<Int64(count), using: &random)),
      ]
      edits[place].insert(Atlas.city, values, key: key)
      all.insert(Atlas.city, values, key: key)
    }
    for edit in edits where !edit.changes.isEmpty { try edit.save() }
    try all.save()
    let (left, right) = (try group.snapshot(), try alone.snapshot())
    let city = group.schema.of(Atlas.city).number
    #expect(try left.keys(of: city) == right.keys(of: city))
    #expect(try left.records(of: city) == right.records(of: city))
    #expect(try left.count(of: city) == count)
    let sought = try right.keys(of: city).shuffled(using: &random)
    var found: [ObjectKey] = []
    try left.visitRecords(of: sought) { key, _, record in
      if record != nil { found.append(key) }
    }
    #expect(found == sought)
    for name in ["name", "population"] {
      let index = group.schema.index(name, of: Atlas.city).number
      let whole = try right.entries(of: index, in: KeyRange(), isReversed: false)
      #expect(whole.count == count)
      for _ in 0..<20 {
        var range = KeyRange()
        if Bool.random(using: &random) { range.lower = whole.randomElement(using: &random)! }
        if Bool.random(using: &random) { range.upper = whole.randomElement(using: &random)! }
        for isReversed in [false, true] {
          let entries = try left.entries(of: index, in: range, isReversed: isReversed)
          #expect(
            try entries == right.entries(of: index, in: range, isReversed: isReversed))
          let most = Int.random(in: 1...10, using: &random)
          #expect(
            try left.entries(of: index, in: range, isReversed: isReversed, upTo: most)
              == Array(entries.prefix(most)))
        }
        #expect(
          try left.countEntries(of: index, in: range) == right.countEntries(of: index, in: range))
        #expect(try left.runs(of: index, in: range) == right.runs(of: index, in: range))
      }
    }
  }
}

extension Snapshot {
  fileprivate func keys(of entity: EntityNumber) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try scanKeys(of: entity) { key in
      keys.append(key)
      return .more
    }
    return keys
  }

  fileprivate func records(of entity: EntityNumber) throws -> [[UInt8]] {
    var records: [[UInt8]] = []
    try scanRecords(of: entity) { _, _, record in
      records.append(Array(record))
      return .more
    }
    return records
  }

  fileprivate func entries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int = .max
  ) throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    try scanIndex(index, in: range, isReversed: isReversed) { entry, key in
      #expect(Array(entry.suffix(8)) == withUnsafeBytes(of: key.rawValue.bigEndian, Array.init))
      entries.append(Array(entry))
      return entries.count < most ? .more : .stop
    }
    return entries
  }

  /// The number of entries of each value.
  fileprivate func runs(of index: PropertyNumber, in range: KeyRange) throws -> [[UInt8]: Int] {
    var runs: [[UInt8]: Int] = [:]
    var last: [UInt8] = []
    try scanRuns(of: index, in: range) { value, entryCount in
      #expect(!Array(value).lexicographicallyPrecedes(last))
      last = Array(value)
      runs[last, default: 0] += entryCount
      return .more
    }
    return runs
  }
}
