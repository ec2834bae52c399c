// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Docs/FileFormat.md, "index entries".
@Suite struct `An index whose values repeat` {
  private class Thing {}

  private static let worker = EntityDescription(
    "Worker", class: Thing.self,
    properties: [
      .attribute(
        AttributeDescription("team", type: .string, isOptional: true, options: [.indexed]))
    ])
  private static let apprentice = EntityDescription(
    "Apprentice", class: Thing.self, superentity: worker, properties: [])

  /// A store on a file, and its content.
  private struct Opened {
    let folder: TemporaryDirectory
    let store: LMDBStore
    let environment: Environment

    init() throws {
      folder = try TemporaryDirectory()
      let path = folder.file("store").path
      store = try LMDBStore.open(
        at: path, model: ManagedObjectModel(entities: [worker, apprentice]), durability: .none)
      var options = EnvironmentOptions()
      options.durability = .none
      environment = try Environment.open(at: path, options: options)
    }

    var number: PropertyNumber { store.schema.index("team", of: worker).number }

    func key(_ serial: UInt64, _ entity: EntityDescription = worker) -> ObjectKey {
      ObjectKey(entity: store.schema.of(entity).number, serial: serial)
    }

    /// The blocks as they are stored in the tree.
    func blocks() throws -> [(key: [UInt8], value: [UInt8])] {
      let tree = try #require(try environment.tree(named: "i\(key(1).entity.rawValue)"))
      let transaction = try environment.read()
      var cursor = try transaction.cursor(in: tree)
      var blocks: [([UInt8], [UInt8])] = []
      var isThere = try cursor.first()
      while isThere {
        blocks.append(([UInt8](cursor.key), [UInt8](cursor.value)))
        isThere = try cursor.next()
      }
      return blocks
    }

    func entries(
      in range: KeyRange = KeyRange(), isReversed: Bool = false
    ) throws -> [[UInt8]] {
      var entries: [[UInt8]] = []
      try store.snapshot().scanIndex(number, in: range, isReversed: isReversed) { entry, key in
        #expect(KeyEncoder.objectKey(ofEntry: entry) == key)
        entries.append([UInt8](entry))
        return .more
      }
      return entries
    }
  }

  @Test func `has one key for many objects`() throws {
    let opened = try Opened()
    var edit = Edit(opened.store)
    for serial: UInt64 in [7, 8, 306] {
      edit.insert(Self.worker, ["team": .string("Ada")], key: opened.key(serial))
    }
    edit.insert(Self.apprentice, ["team": .string("Ada")], key: opened.key(5, Self.apprentice))
    edit.insert(Self.worker, ["team": .string("Bo")], key: opened.key(9))
    try edit.save()
    // Numbers go by name: Apprentice 1, Worker 2; team 1.
    let blocks = try opened.blocks()
    #expect(
      blocks.map(\.key) == [
        [0, 1, 0x41, 0x64, 0x61, 1, 0, 1, 0, 0, 0, 0, 0, 5],
        [0, 1, 0x42, 0x6F, 1, 0, 2, 0, 0, 0, 0, 0, 9],
      ])
    #expect(
      blocks.map(\.value) == [
        [0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0x01, 0xAA, 0x02], [],
      ])
    opened.store.close()
  }

  @Test func `has full blocks where objects were inserted one after the other`() throws {
    let opened = try Opened()
    for _ in 0..<50 {
      var edit = Edit(opened.store)
      for _ in 0..<20 { edit.insert(Self.worker, ["team": .string("Ada")]) }
      try edit.save()
    }
    #expect(try opened.blocks().map(\.value.count) == [Int](repeating: 128, count: 7) + [96])
    #expect(try opened.entries().count == 1_000)
    opened.store.close()
  }

  @Test(arguments: [UInt64](1...4))
  func `has every entry once, in order, within any bounds`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let opened = try Opened()
    let teams = ["", "a", "aa", "ab", "b", String(repeating: "c", count: 300)]
    var teamOf: [ObjectKey: String?] = [:]
    for round in 0..<30 {
      var edit = Edit(opened.store)
      let serialMax: UInt64 = round % 3 == 0 ? 400 : 1 << 40
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let key = opened.key(
          UInt64.random(in: 1...serialMax, using: &random),
          Bool.random(using: &random) ? Self.worker : Self.apprentice)
        if teamOf[key] != nil || edit.changes[key] != nil { continue }
        let team =
          Int.random(in: 0..<8, using: &random) == 0 ? nil : teams.randomElement(using: &random)
        edit.insert(
          key.entity == opened.key(1).entity ? Self.worker : Self.apprentice,
          ["team": team.map(PropertyValue.string) ?? .null], key: key)
        teamOf[key] = .some(team)
      }
      // In some rounds nearly everything goes.
      let share = round % 10 == 9 ? 0.9 : 0.15
      for key in teamOf.keys.sorted() where edit.changes[key] == nil {
        guard Double.random(in: 0..<1, using: &random) < share else { continue }
        if Bool.random(using: &random) {
          try edit.delete(key)
          teamOf[key] = nil
        } else {
          let team = teams.randomElement(using: &random)
          try edit.update(key, ["team": team.map(PropertyValue.string) ?? .null])
          teamOf[key] = .some(team)
        }
      }
      try edit.save()
      let expected = teamOf.map { key, team in entry(team, key) }
        .sorted { $0.lexicographicallyPrecedes($1) }
      #expect(try opened.entries() == expected, "seed \(seed), round \(round)")
      #expect(
        try opened.entries(isReversed: true) == expected.reversed(), "seed \(seed), round \(round)")
      try checkBlocks(opened, "seed \(seed), round \(round)")
      for _ in 0..<8 {
        let range = KeyRange(
          lower: bound(expected, &random), upper: bound(expected, &random))
        let within = expected.filter {
          !$0.lexicographicallyPrecedes(range.lower)
            && range.upper.map($0.lexicographicallyPrecedes) ?? true
        }
        #expect(try opened.entries(in: range) == within, "seed \(seed), round \(round)")
        #expect(
          try opened.entries(in: range, isReversed: true) == within.reversed(),
          "seed \(seed), round \(round)")
        try checkBlocks(of: opened, in: range, within, &random, "seed \(seed), round \(round)")
      }
    }
    opened.store.close()
  }

  /// Counts, values and skipped entries agree with the entries.
  private func checkBlocks(
    of opened: Opened, in range: KeyRange, _ entries: [[UInt8]], _ random: inout SeededGenerator,
    _ place: Comment
  ) throws {
    let snapshot = try opened.store.snapshot()
    #expect(try snapshot.countEntries(of: opened.number, in: range) == entries.count, place)
    var values: [[UInt8]] = []
    try snapshot.scanRuns(of: opened.number, in: range) { value, count in
      values += Array(repeating: Array(value), count: count)
      return .more
    }
    #expect(values == entries.map { Array($0.dropLast(8)) }, place)
    for isReversed in [false, true] {
      let most = Int.random(in: 0...entries.count + 2, using: &random)
      let skipped = try snapshot.skipEntries(
        of: opened.number, in: range, isReversed: isReversed, upTo: most)
      #expect(
        skipped.count <= most && (skipped.rest != nil || skipped.count == entries.count), place)
      guard let rest = skipped.rest else { continue }
      let left = try opened.entries(in: rest)
      #expect(left.count == entries.count - skipped.count, place)
      #expect(
        left
          == Array(isReversed ? entries.dropLast(skipped.count) : entries.dropFirst(skipped.count)),
        place)
      // All of a value is left, or as much as a block less one.
      let next = isReversed ? left.last : left.first
      let countOfValue = entries.count { $0.dropLast(8) == next?.dropLast(8) }
      #expect(most - skipped.count < max(countOfValue, 129), place)
      if isReversed || next?.count == 263 {
        #expect(left.count { $0.dropLast(8) == next?.dropLast(8) } == countOfValue, place)
      }
    }
  }

  private func entry(_ team: String?, _ key: ObjectKey) -> [UInt8] {
    var bytes: [UInt8] = []
    KeyEncoder.append(
      value: team.map(PropertyValue.string) ?? .null, kind: .attribute(.string), to: &bytes)
    KeyEncoder.append(objectKey: key, to: &bytes)
    return bytes
  }

  /// An entry, or one next to it, or the beginning of one.
  private func bound(_ entries: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    guard var bound = entries.randomElement(using: &random) else { return [] }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Array(bound.prefix(Int.random(in: 0...bound.count, using: &random)))
    case 1: bound.append(0)
    case 2: bound[bound.count - 1] &+= 1
    default: break
    }
    return bound
  }

  /// No block has more than its maximum of bytes, and the blocks of one value do not overlap.
  private func checkBlocks(_ opened: Opened, _ place: Comment) throws {
    var former: (list: [UInt8], last: UInt64)?
    for (key, value) in try opened.blocks() {
      #expect(value.count <= 128, place)
      var object = key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
      let list = Array(key.dropLast(8))
      if let former, former.list == list { #expect(former.last < object, place) }
      var (delta, shift): (UInt64, UInt64) = (0, 0)
      for byte in value {
        delta |= UInt64(byte & 0x7F) << shift
        shift += 7
        if byte > 0x7F { continue }
        object += delta
        (delta, shift) = (0, 0)
      }
      former = (list, object)
    }
  }

  @Test(arguments: [[0x80], [0], [5, 0, 5], Array(repeating: 1, count: 129)])
  func `counts no block that cannot be`(_ broken: [UInt8]) throws {
    let opened = try Opened()
    var edit = Edit(opened.store)
    for team in ["Ada", "Bo", "Bo", "Bo", "Cy"] {
      edit.insert(Self.worker, ["team": .string(team)])
    }
    try edit.save()
    let key = try opened.blocks()[1].key
    try opened.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "i2") else { throw Absent() }
      try key.withUnsafeBytes { key in
        try broken.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    let snapshot = try opened.store.snapshot()
    let reads: [() throws -> Void] = [
      { _ = try snapshot.countEntries(of: opened.number, in: KeyRange()) },
      { try snapshot.scanRuns(of: opened.number, in: KeyRange()) { _, _ in .more } },
      {
        _ = try snapshot.skipEntries(
          of: opened.number, in: KeyRange(), isReversed: false, upTo: 200)
      },
      {
        _ = try snapshot.skipEntries(of: opened.number, in: KeyRange(), isReversed: true, upTo: 200)
      },
    ]
    for read in reads {
      #expect { try read() } throws: { error in
        if case StoreError.damaged("i2", nil, _) = error { true } else { false }
      }
    }
    opened.store.close()
  }

  /// Two of them have bytes that a distance does not need, and the last one has 65 bits.
  @Test(arguments: [
    [0x80], [0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    [0x81, 0], [0x81, 0x80, 0x80, 0],
    [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
  ])
  func `says so of a block that cannot be`(_ broken: [UInt8]) throws {
    let opened = try Opened()
    var edit = Edit(opened.store)
    for _ in 0..<3 { edit.insert(Self.worker, ["team": .string("Ada")]) }
    try edit.save()
    let key = try opened.blocks()[0].key
    try opened.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "i2") else { throw Absent() }
      try key.withUnsafeBytes { key in
        try broken.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    for isReversed in [false, true] {
      #expect {
        try opened.entries(isReversed: isReversed)
      } throws: { error in
        if case StoreError.damaged("i2", nil, _) = error { true } else { false }
      }
    }
    var another = Edit(opened.store)
    another.insert(Self.worker, ["team": .string("Ada")])
    #expect { try another.save() } throws: { error in
      if case StoreError.damaged("i2", nil, _) = error { true } else { false }
    }
    opened.store.close()
  }
}
