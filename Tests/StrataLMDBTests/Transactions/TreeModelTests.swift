// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

/// A tree against a dictionary that is sorted when asked. Keys have up to 255 bytes and often share
/// long beginnings, so that branch pages split unevenly: liblmdb 0.9.24 lacks the fix of ITS#9806.
@Suite struct `A tree under random operations` {
  private struct Model {
    var entries: [[UInt8]: [UInt8]] = [:]
    /// Keys that were put at some time, to come back to.
    var used: [[UInt8]] = []
    mutating func put(_ key: [UInt8], _ value: [UInt8]) {
      entries[key] = value
      used.append(key)
    }

    var sortedKeys: [[UInt8]] { entries.keys.sorted { $0.lexicographicallyPrecedes($1) } }
  }

  private enum Operation: CaseIterable { case put, delete, batch }

  @Test(arguments: UInt64(0)..<6)
  func `is what the model says`(round: UInt64) throws {
    let seed = round &* 0x9E37_79B9 &+ SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    var model = Model()
    let keyByteCountMax = [8, 60, 255][Int(round % 3)]

    do {
      for _ in 0..<8 {
        let isCommitted = Int.random(in: 0..<4, using: &random) > 0
        let (before, generator) = (model, random)
        (model, random) = try environment.writeSync { transaction in
          var (model, random) = (before, generator)
          for _ in 0..<250 {
            try Self.step(transaction, tree, &model, &random, keyByteCountMax)
          }
          if !isCommitted { transaction.abort() }
          return (isCommitted ? model : before, random)
        }
        try Self.compare(try environment.read(), tree, model, &random)
      }
    } catch {
      Issue.record("\(error), seed \(seed)")
    }
  }

  private static func step(
    _ transaction: WriteTransaction, _ tree: Tree, _ model: inout Model,
    _ random: inout SeededGenerator, _ keyByteCountMax: Int
  ) throws {
    let key = randomKey(&random, upTo: keyByteCountMax, in: model)
    let valueByteCountMax = [10, 300, 5000].randomElement(using: &random) ?? 0
    let value = [UInt8](
      repeating: .random(in: 0...255, using: &random),
      count: .random(in: 0...valueByteCountMax, using: &random))
    try key.withUnsafeBytes { keyBytes in
      try value.withUnsafeBytes { valueBytes in
        switch Operation.allCases.randomElement(using: &random) ?? .put {
        case .put:
          try transaction.put(keyBytes, valueBytes, in: tree)
          model.put(key, value)
        case .delete:
          let wasThere = try transaction.delete(keyBytes, in: tree)
          guard wasThere == (model.entries.removeValue(forKey: key) != nil) else {
            throw Difference(what: "deleted")
          }
        case .batch:
          var cursor = try transaction.writeCursor(in: tree)
          var keys = (0..<Int.random(in: 1...20, using: &random)).map { _ in
            randomKey(&random, upTo: keyByteCountMax, in: model)
          }
          if Bool.random(using: &random) { keys.sort { $0.lexicographicallyPrecedes($1) } }
          for key in keys {
            try key.withUnsafeBytes { try cursor.put($0, valueBytes) }
            model.put(key, value)
          }
        }
      }
    }
  }

  /// Throws where the tree and the model differ: walked both ways, looked up and sought.
  private static func compare(
    _ transaction: ReadTransaction, _ tree: Tree, _ model: Model, _ random: inout SeededGenerator
  ) throws {
    let keys = model.sortedKeys
    let entries = try transaction.entries(of: tree)
    guard entries.map(\.0) == keys else { throw Difference(what: "keys differ") }
    guard entries.allSatisfy({ model.entries[$0.0] == $0.1 }) else {
      throw Difference(what: "values differ")
    }
    guard try transaction.statistics(of: tree).entryCount == keys.count else {
      throw Difference(what: "count")
    }
    var cursor = try transaction.cursor(in: tree)
    var backwards: [[UInt8]] = []
    while try cursor.previous() { backwards.append([UInt8](cursor.key)) }
    guard backwards == keys.reversed() else { throw Difference(what: "backward walk differs") }
    for _ in 0..<50 {
      let key = randomKey(&random, upTo: 255, in: model)
      let found = try key.withUnsafeBytes { try transaction.get($0, in: tree).map([UInt8].init) }
      guard found == model.entries[key] else { throw Difference(what: "lookup differs") }
      let isFound = try key.withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
      let expected = keys.first { !$0.lexicographicallyPrecedes(key) }
      guard (isFound ? [UInt8](cursor.key) : nil) == expected else {
        throw Difference(what: "seek differs")
      }
    }
  }

  private static func randomKey(
    _ random: inout SeededGenerator, upTo byteCountMax: Int, in model: Model
  ) -> [UInt8] {
    if Int.random(in: 0..<3, using: &random) == 0,
      let key = model.used.randomElement(using: &random)
    {
      return key
    }
    let count = Int.random(in: 1...byteCountMax, using: &random)
    let shared = Int.random(in: 0...count, using: &random)
    return [UInt8](repeating: 0x61, count: shared) + randomBytes(count - shared, &random)
  }

  private static func randomBytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}

/// Where the tree and the model differ.
private struct Difference: Error { let what: String }
