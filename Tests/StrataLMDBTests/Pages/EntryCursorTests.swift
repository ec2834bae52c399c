// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

/// The same tree by LMDB's cursor and by its pages.
@Suite struct `A cursor that reads pages` {
  private struct Shape: Sendable {
    let countMax: Int
    let keyByteCountMax: Int
    let valueByteCountMax: Int
    let depthMax: Int
  }

  private static let shapes = [
    Shape(countMax: 0, keyByteCountMax: 1, valueByteCountMax: 0, depthMax: 0),
    Shape(countMax: 12, keyByteCountMax: 6, valueByteCountMax: 9, depthMax: 1),
    Shape(countMax: 2_000, keyByteCountMax: 30, valueByteCountMax: 0, depthMax: 2),
    Shape(countMax: 4_000, keyByteCountMax: 270, valueByteCountMax: 128, depthMax: 4),
  ]

  /// A key of few different bytes, so that many have the beginning in common.
  private static func key(_ byteCountMax: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 1...byteCountMax, using: &random)).map { _ in
      [0, 1, 7, 0xFF].randomElement(using: &random) ?? 0
    }
  }

  @Test(arguments: shapes.indices)
  func `moves as LMDB's does, after each commit`(number: Int) throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[number]
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 28)
    let environment = try scratch.open()
    let tree = try environment.makeTree("entries")
    let reader = try environment.read()
    var paged = EntryCursor(on: tree, named: "entries", in: reader, readsPages: true)
    var called = EntryCursor(on: tree, named: "entries", in: reader, readsPages: false)
    var depths: Set<Int> = []
    for _ in 0..<4 {
      let changes = (0..<shape.countMax).map { _ in
        let byteCount = Int.random(in: 0...shape.valueByteCountMax, using: &random)
        return (
          key: Self.key(shape.keyByteCountMax, &random),
          value: Int.random(in: 0..<4, using: &random) == 0
            ? nil : [UInt8](repeating: 9, count: byteCount)
        )
      }
      try environment.writeSync { transaction in
        for change in changes {
          try bytes(of: change.key) { key in
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
      let entries = try reader.entries(of: tree)
      for _ in 0..<40 {
        let sought =
          Bool.random(using: &random)
          ? entries.randomElement(using: &random)?.0 ?? [1]
          : Self.key(shape.keyByteCountMax, &random)
        let start = Int.random(in: 0..<4, using: &random)
        func move(_ cursor: inout EntryCursor) throws -> Bool {
          switch start {
          case 0: try cursor.first()
          case 1: try cursor.last()
          default: try bytes(of: sought) { try cursor.seek(atOrAbove: $0) }
          }
        }
        var (isOnOne, isOnOther) = (try move(&paged), try move(&called))
        var isForwards = Bool.random(using: &random)
        for _ in 0..<200 {
          try #require(isOnOne == isOnOther, "seed \(seed)")
          if !isOnOne { break }
          try #require(Array(paged.key) == Array(called.key), "seed \(seed)")
          try #require(Array(paged.value) == Array(called.value), "seed \(seed)")
          if Int.random(in: 0..<50, using: &random) == 0 { isForwards.toggle() }
          isOnOne = try isForwards ? paged.next() : paged.previous()
          isOnOther = try isForwards ? called.next() : called.previous()
        }
      }
      try expectAll(entries, &paged, "seed \(seed)")
    }
    #expect(depths.max() == shape.depthMax, "seed \(seed)")
  }

  private func expectAll(
    _ entries: [([UInt8], [UInt8])], _ cursor: inout EntryCursor, _ comment: Comment
  ) throws {
    var keys: [[UInt8]] = []
    var isThere = try cursor.first()
    while isThere {
      keys.append(Array(cursor.key))
      isThere = try cursor.next()
    }
    #expect(keys == entries.map(\.0), comment)
    keys = []
    isThere = try cursor.last()
    while isThere {
      keys.append(Array(cursor.key))
      isThere = try cursor.previous()
    }
    #expect(keys == entries.map(\.0).reversed(), comment)
  }

  @Test func `stays in its snapshot, and follows its transaction to the next`() throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("entries", ["a": "1", "b": "1"])
    let reader = try environment.read()
    var cursor = EntryCursor(on: tree, named: "entries", in: reader, readsPages: true)
    #expect(try cursor.first())
    try environment.writeSync { transaction in
      try transaction.put("b", "2", in: tree)
      try transaction.put("c", "2", in: tree)
    }
    #expect(try cursor.next())
    #expect(Array(cursor.value) == Array("1".utf8))
    #expect(try !cursor.next())
    try reader.renew()
    #expect(try cursor.last())
    #expect(Array(cursor.key) == Array("c".utf8))
  }
}
