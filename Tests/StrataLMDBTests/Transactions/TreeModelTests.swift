// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

/// The expected content of a tree: a dictionary, sorted when asked.
private struct NaiveTree: Sendable {
  var entries: [[UInt8]: [UInt8]] = [:]

  var sortedKeys: [[UInt8]] { entries.keys.sorted { $0.precedes($1) } }
}

/// The changes of a transaction to a tree and to its model.
private enum TreeEdit: Sendable {
  case put([UInt8], [UInt8])
  case delete([UInt8])
  /// Puts one value under several keys with one cursor.
  case batch([[UInt8]], [UInt8])

  func apply(_ transaction: WriteTransaction, _ tree: Tree, _ naive: inout NaiveTree) throws {
    switch self {
    case .put(let key, let value):
      try bytes(of: key) { key in
        try bytes(of: value) { try transaction.put(key, $0, in: tree) }
      }
      naive.entries[key] = value
    case .delete(let key):
      let wasThere = try bytes(of: key) { try transaction.delete($0, in: tree) }
      try expectSame(wasThere, naive.entries.removeValue(forKey: key) != nil, "deleted \(key)")
    case .batch(let keys, let value):
      var cursor = try transaction.writeCursor(in: tree)
      for key in keys {
        try key.withUnsafeBytes { key in
          try value.withUnsafeBytes { try cursor.put(key, $0) }
        }
        naive.entries[key] = value
      }
    }
  }
}

/// A tree beside a dictionary. Edits wait for the transaction that makes them all.
private struct TreeModel: Model {
  var random: ModelRandom
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree
  private let keyByteCountMax: Int
  private var naive = NaiveTree()
  private var pending: [TreeEdit] = []
  /// Keys that were put at some time, to come back to.
  private var used: [[UInt8]] = []

  init(_ random: ModelRandom, keyByteCountMax: Int) throws {
    self.random = random
    self.keyByteCountMax = keyByteCountMax
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a")
  }

  static var operations: [ModelOperation<TreeModel>] {
    [
      ModelOperation("put", weight: 330) { $0.put() },
      ModelOperation("delete", weight: 330) { $0.delete() },
      ModelOperation("batch", weight: 330) { $0.batch() },
      ModelOperation("commit", weight: 3) { try $0.write(isCommitted: true) },
      ModelOperation("abort") { try $0.write(isCommitted: false) },
    ]
  }

  mutating func finish() throws { try write(isCommitted: true) }

  private mutating func put() {
    let key = randomKey(upTo: keyByteCountMax)
    pending.append(.put(key, randomValue()))
    used.append(key)
  }

  private mutating func delete() { pending.append(.delete(randomKey(upTo: keyByteCountMax))) }

  private mutating func batch() {
    var keys: [[UInt8]] = []
    for _ in 0...random.below(20) { keys.append(randomKey(upTo: keyByteCountMax)) }
    if Bool.random(using: &random) { keys.sort { $0.precedes($1) } }
    pending.append(.batch(keys, randomValue()))
    used += keys
  }

  private mutating func randomKey(upTo byteCountMax: Int) -> [UInt8] {
    if random.chance(3), let key = random.pick(used) { return key }
    let count = 1 + random.below(byteCountMax)
    let shared = random.below(count + 1)
    let rest = (shared..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    return [UInt8](repeating: 0x61, count: shared) + rest
  }

  private mutating func randomValue() -> [UInt8] {
    let byteCountMax = random.pick([10, 300, 5000]) ?? 0
    return [UInt8](
      repeating: .random(in: 0...255, using: &random), count: random.below(byteCountMax + 1))
  }

  /// Makes the edits that wait, in one transaction.
  private mutating func write(isCommitted: Bool) throws {
    random.note("\(pending.count) edits")
    let written = try environment.writeSync { [tree, before = naive, edits = pending] transaction in
      var naive = before
      for edit in edits { try edit.apply(transaction, tree, &naive) }
      if !isCommitted { transaction.abort() }
      return naive
    }
    if isCommitted { naive = written }
    pending = []
    try compare(environment.read())
  }

  /// Compares the tree with the model: walked both ways, looked up and sought.
  private mutating func compare(_ transaction: ReadTransaction) throws {
    let keys = naive.sortedKeys
    let entries = try transaction.entries(of: tree)
    guard entries.map(\.0) == keys else { throw ModelDifference("keys differ") }
    guard entries.allSatisfy({ naive.entries[$0.0] == $0.1 }) else {
      throw ModelDifference("values differ")
    }
    try expectSame(try transaction.statistics(of: tree).entryCount, keys.count, "count")
    var cursor = try transaction.cursor(in: tree)
    var backwards: [[UInt8]] = []
    while try cursor.previous() { backwards.append([UInt8](cursor.key)) }
    guard backwards == keys.reversed() else { throw ModelDifference("backward walk differs") }
    for _ in 0..<50 {
      let key = randomKey(upTo: 255)
      let found = try key.withUnsafeBytes { try transaction.get($0, in: tree).map([UInt8].init) }
      try expectSame(found, naive.entries[key], "the value of \(key)")
      let isFound = try key.withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
      let expected = keys.first { !$0.precedes(key) }
      try expectSame(isFound ? [UInt8](cursor.key) : nil, expected, "the first from \(key) on")
    }
  }
}

/// Keys have up to 255 bytes and often share long beginnings, so that branch pages split unevenly:
/// liblmdb 0.9.24 lacks the fix of ITS#9806.
@Suite struct `A tree under random operations` {
  @Test(arguments: [8, 60, 255])
  func `equals the model`(keyByteCountMax: Int) async {
    let failure = await ModelTest(
      "tree of keys up to \(keyByteCountMax) bytes", sequences: 2, steps: 500
    ) { try TreeModel($0, keyByteCountMax: keyByteCountMax) }.firstFailure()
    #expect(failure == nil)
  }
}
