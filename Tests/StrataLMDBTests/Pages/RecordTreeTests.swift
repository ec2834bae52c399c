// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

/// The same trees through LMDB's calls and through their pages.
@Suite struct `A tree of records` {
  /// The shape of the trees of a round.
  struct Shape: Sendable {
    let countMax: Int
    let valueByteCountMax: Int
    /// Numbers come in rows with gaps of up to this size.
    let gapMax: UInt64
    let depths: ClosedRange<Int>
  }

  static let shapes = [
    Shape(countMax: 0, valueByteCountMax: 0, gapMax: 1, depths: 0...0),
    Shape(countMax: 10, valueByteCountMax: 4, gapMax: 1, depths: 0...1),
    Shape(countMax: 900, valueByteCountMax: 0, gapMax: 40, depths: 0...2),
    Shape(countMax: 9_000, valueByteCountMax: 180, gapMax: 1, depths: 0...3),
    Shape(countMax: 3_000, valueByteCountMax: 300, gapMax: 1 << 32, depths: 0...3),
    Shape(countMax: 250, valueByteCountMax: 40_000, gapMax: 3, depths: 0...2),
    Shape(countMax: 3_000, valueByteCountMax: 1_950, gapMax: 2, depths: 0...3),
  ]

  @Test(arguments: shapes.indices)
  func `is as LMDB says, after each commit`(shape: Int) throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[shape]
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 30)
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers", ["unused": ""])
    try environment.writeSync { _ = try $0.delete("unused", in: tree) }
    _ = try environment.makeTree("another")
    let reader = try environment.read()
    let mapped = RecordTree(tree, named: "numbers", in: reader, readsPages: true)
    var used: [UInt64] = []
    var depths: Set<Int> = []
    do {
      for commit in 0..<8 {
        // The last but one takes all away, as far as it is known here.
        let isEmptying = commit == 6
        let changes = Self.changes(shape, used, &random, isEmptying: isEmptying)
        used += changes.map(\.number)
        try environment.writeSync { transaction in
          for change in changes {
            try withBytes(of: change.number) { key in
              if let value = change.value {
                try bytes(of: value) { try transaction.put(key, $0, in: tree) }
              } else {
                _ = try transaction.delete(key, in: tree)
              }
            }
          }
        }
        try reader.renew()
        depths.insert(try reader.statistics(of: tree).depth)
        try compare(mapped, with: reader, tree, used, &random)
      }
    } catch {
      Issue.record("\(error), seed \(seed)")
    }
    #expect(depths.isSubset(of: Set(shape.depths)) && depths.contains(0), "seed \(seed)")
    #expect((depths.max() ?? 0) == shape.depths.upperBound, "seed \(seed)")
  }

  private static func changes(
    _ shape: Shape, _ used: [UInt64], _ random: inout SeededGenerator, isEmptying: Bool
  ) -> [(number: UInt64, value: [UInt8]?)] {
    if isEmptying { return used.shuffled(using: &random).map { ($0, nil) } }
    if shape.countMax == 0 { return [] }
    var number = UInt64.random(in: 0...10_000, using: &random)
    let count = Int.random(in: shape.countMax / 2...shape.countMax, using: &random)
    var changes = (0..<count).map { _ in
      number += .random(in: 1...shape.gapMax, using: &random)
      let isDeleted = Int.random(in: 0..<20, using: &random) == 0
      let byteCount = Int.random(in: 0...shape.valueByteCountMax, using: &random)
      let value = [UInt8](repeating: .random(in: 0...255, using: &random), count: byteCount)
      return (number, isDeleted ? nil : value)
    }
    if Bool.random(using: &random) { changes.shuffle(using: &random) }
    return changes + used.shuffled(using: &random).prefix(count / 8).map { ($0, nil) }
  }

  @Test func `is as LMDB says with four levels`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 30)
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers")
    let countMax = UInt64(40_000)
    try environment.writeSync { transaction in
      // Descending, so that pages stay half empty.
      for number in (0..<countMax).reversed() {
        try withBytes(of: number) { key in
          try bytes(of: [UInt8](repeating: UInt8(number & 0xFF), count: 1_400)) {
            try transaction.put(key, $0, in: tree)
          }
        }
      }
    }
    let reader = try environment.read()
    #expect(try reader.statistics(of: tree).depth == 4)
    let mapped = RecordTree(tree, named: "numbers", in: reader, readsPages: true)
    #expect(throws: Never.self, "seed \(seed)") {
      try compare(mapped, with: reader, tree, Array(0..<countMax), &random)
    }
  }

  @Test func `stays as it is while others commit`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers")
    let write: (UInt8) throws -> Void = { content in
      try environment.writeSync { transaction in
        for number in UInt64(1)...600 {
          try withBytes(of: number) { key in
            try bytes(of: [UInt8](repeating: content, count: 100)) {
              try transaction.put(key, $0, in: tree)
            }
          }
        }
      }
    }
    try write(0)
    let readers = try (UInt8(1)...6).map { content in
      let reader = try environment.read()
      let mapped = RecordTree(tree, named: "numbers", in: reader, readsPages: true)
      #expect(try readsPages(of: mapped))
      try write(content)
      return (content - 1, reader, mapped)
    }
    for _ in 0..<20 { try write(200) }
    for (content, reader, mapped) in readers.shuffled(using: &random) {
      let expected = [UInt8](repeating: content, count: 100)
      let walked = try walk(mapped)
      #expect(walked.map(\.0) == Array(1...600))
      #expect(walked.allSatisfy { $0.1 == expected }, "seed \(seed)")
      #expect(try mapped.value(under: 300).map([UInt8].init) == expected)
      try reader.renew()
      #expect(try mapped.value(under: 300).map([UInt8].init) == Array(repeating: 200, count: 100))
    }
  }

  @Test func `is read from pages when it pays, and then until the snapshot goes`() throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers")
    let reader = try environment.read()
    let mapped = RecordTree(tree, named: "numbers", in: reader, readsPages: true)
    #expect(try !readsPages(of: mapped, lookUpCount: 1))
    #expect(try readsPages(of: mapped, lookUpCount: 1))
    try reader.renew()
    #expect(try !readsPages(of: mapped, lookUpCount: 1))
    try reader.renew()
    #expect(try readsPages(of: mapped))
    reader.end()
    #expect(throws: LMDBError.badTransaction) { try readsPages(of: mapped) }
  }

  @Test func `is not read from pages if there is no such tree`() throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers")
    let mapped = RecordTree(tree, named: "another", in: try environment.read(), readsPages: true)
    #expect(try !readsPages(of: mapped))
  }

  @Test(arguments: [false, true])
  func `is the same for a reader and in the transaction that writes it`(
    readsPages: Bool
  ) throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers")
    let numbers = (UInt64(1)...2_000).map { $0 * 3 }
    try environment.writeSync { transaction in
      for number in numbers {
        try withBytes(of: number) { key in
          try bytes(of: [UInt8(number & 0xFF)]) { try transaction.put(key, $0, in: tree) }
        }
      }
      let written = RecordTree(tree, named: "numbers", in: transaction, readsPages: readsPages)
      #expect(try !StrataLMDBTests.readsPages(of: written))
      #expect(try walk(written).map(\.0) == numbers)
      #expect(try written.value(under: 6).map([UInt8].init) == [6])
      #expect(try written.value(under: 7) == nil)
    }
    let reader = try environment.read()
    let read = RecordTree(tree, named: "numbers", in: reader, readsPages: readsPages)
    #expect(try StrataLMDBTests.readsPages(of: read) == readsPages)
    #expect(try walk(read).map(\.0) == numbers)
    #expect(try read.value(under: 6).map([UInt8].init) == [6])
    #expect(try read.value(under: 7) == nil)
  }

  @Test(arguments: [false, true])
  func `gives up a walk whose snapshot was let go, though another was taken`(
    readsPages: Bool
  ) throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers", ["number": "1", "numbes": "2"])
    let reader = try environment.read()
    let mapped = RecordTree(tree, named: "numbers", in: reader, readsPages: readsPages)
    var numbers: [UInt64] = []
    #expect(throws: LMDBError.badTransaction) {
      try mapped.scan { number, _ in
        numbers.append(number)
        try reader.renew()
        return true
      }
    }
    #expect(numbers.count == 1)
  }

  @Test func `throws where a key is no number`() throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("numbers", ["seven b": "", "fiveb": "", "six by": ""])
    let mapped = RecordTree(tree, named: "numbers", in: try environment.read(), readsPages: true)
    #expect(throws: LMDBError.corrupted) { try walk(mapped) }
    #expect(throws: LMDBError.corrupted) { try mapped.value(under: 1) }
  }
}

// MARK: - Reading

/// `body` with the six bytes of a number.
func withBytes<T>(
  of number: UInt64, _ body: (UnsafeRawBufferPointer) throws -> T
) rethrows -> T {
  try withUnsafeBytes(of: (number << 16).bigEndian) {
    try body(UnsafeRawBufferPointer(rebasing: $0[..<6]))
  }
}

/// All entries that a walk comes to.
func walk(_ mapped: RecordTree) throws -> [(UInt64, [UInt8])] {
  var entries: [(UInt64, [UInt8])] = []
  try mapped.scan { number, value in
    entries.append((number, [UInt8](value)))
    return true
  }
  return entries
}

/// The results of look-ups in a group.
func find(_ numbers: [UInt64], in mapped: RecordTree) throws -> [[UInt8]?] {
  try withUnsafeTemporaryAllocation(of: RecordTree.LookUp.self, capacity: numbers.count) { room in
    for (index, number) in numbers.enumerated() {
      room.initializeElement(at: index, to: RecordTree.LookUp(number))
    }
    guard try mapped.find(room) else { throw LMDBError.corrupted }
    return room.map { $0.value.map([UInt8].init) }
  }
}

/// Whether look-ups that are done together are read from pages.
func readsPages(of mapped: RecordTree, lookUpCount: Int = 2) throws -> Bool {
  try withUnsafeTemporaryAllocation(of: RecordTree.LookUp.self, capacity: lookUpCount) { room in
    room.initialize(repeating: RecordTree.LookUp(1))
    return try mapped.find(room)
  }
}

private struct Difference: Error { let what: String }

/// Throws where the pages say something else than LMDB.
private func compare(
  _ mapped: RecordTree, with reader: ReadTransaction, _ tree: Tree, _ used: [UInt64],
  _ random: inout SeededGenerator
) throws {
  guard try readsPages(of: mapped) else { throw Difference(what: "not read from pages") }
  let expected = try reader.entries(of: tree)
  let walked = try walk(mapped)
  guard walked.count == expected.count else { throw Difference(what: "count of a walk") }
  for (entry, (key, value)) in zip(walked, expected) {
    guard withBytes(of: entry.0, { [UInt8]($0) }) == key, entry.1 == value else {
      throw Difference(what: "entry \(entry.0) of a walk")
    }
  }
  var sought = used.shuffled(using: &random).prefix(400)
  for number in sought.prefix(100) { sought += [number &+ 1, number &- 1] }
  sought += [0, (1 << 48) - 1] + (0..<20).map { _ in .random(in: 0..<1 << 48, using: &random) }
  while !sought.isEmpty {
    let group = sought.prefix(.random(in: 1...40, using: &random)).map { $0 & ((1 << 48) - 1) }
    sought = sought.dropFirst(group.count)
    let expected = try group.map { number in
      try withBytes(of: number) { try reader.get($0, in: tree).map([UInt8].init) }
    }
    guard try find(group, in: mapped) == expected else {
      throw Difference(what: "look-ups of \(group)")
    }
    for (number, value) in zip(group, expected) {
      guard try mapped.value(under: number).map([UInt8].init) == value else {
        throw Difference(what: "look-up of \(number)")
      }
    }
  }
}
