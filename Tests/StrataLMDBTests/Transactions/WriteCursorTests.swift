// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A batch put by a write cursor` {
  private let scratch: ScratchEnvironment
  private let environment: Environment

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
  }

  private func put(_ numbers: [Int], into name: String) throws -> [([UInt8], [UInt8])] {
    try environment.writeSync { transaction in
      let tree = try transaction.makeTree(named: name)
      var cursor = try transaction.writeCursor(in: tree)
      for number in numbers {
        let key = withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
        try key.withUnsafeBytes { key in try cursor.put(key, key) }
      }
    }
    let tree = try #require(try environment.tree(named: name))
    return try environment.read().entries(of: tree)
  }

  private func isInOrder(_ entries: [([UInt8], [UInt8])]) -> Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.0.lexicographicallyPrecedes($1.0) }
  }

  @Test func `fills an empty tree with full pages when it is sorted`() throws {
    let entries = try put(Array(0..<10_000), into: "sorted")
    #expect(entries.count == 10_000 && isInOrder(entries))
    let shuffled = try put((0..<10_000).map { $0 * 7919 % 10_000 }, into: "shuffled")
    #expect(shuffled.count == 10_000 && isInOrder(shuffled))
    let pages = try ["sorted", "shuffled"].map { name in
      try environment.read().statistics(of: try #require(try environment.tree(named: name)))
        .leafPageCount
    }
    #expect(pages[0] * 5 < pages[1] * 4, "\(pages)")
  }

  @Test func `is inserted between existing entries, and continues behind them`() throws {
    _ = try put([10, 20, 30], into: "a")
    let entries = try put([5, 15, 25, 35, 36, 12, 40], into: "a")
    #expect(entries.map { Int($0.0[3]) } == [5, 10, 12, 15, 20, 25, 30, 35, 36, 40])
  }

  @Test func `replaces the values that are there`() throws {
    let tree = try environment.makeTree("a", ["k": "old", "l": "old"])
    try environment.writeSync { transaction in
      var cursor = try transaction.writeCursor(in: tree)
      for key in ["k", "l", "m"] {
        try Array(key.utf8).withUnsafeBytes { key in
          try cursor.put(key, byteCount: 3) { $0.copyBytes(from: Array("new".utf8)) }
        }
      }
    }
    #expect(try environment.read().texts(of: tree) == ["k=new", "l=new", "m=new"])
  }

  @Test func `overwrites existing entries by steps and searches alike`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let tree = try environment.makeTree("a")
    var model: [UInt32: [UInt8]] = [:]
    for round in 0..<30 {
      let numbers = (0..<UInt32(2_000)).filter { _ in Int.random(in: 0...round, using: &random) < 2
      }
      let written = numbers.map { number in
        let byteCount = Int.random(in: 0..<20, using: &random) == 0 ? 90 : 40
        return (
          number, [UInt8](repeating: .random(in: 0 ... .max, using: &random), count: byteCount)
        )
      }
      let isGuess = round % 3 == 0
      try environment.writeSync { transaction in
        var cursor = try transaction.writeCursor(in: tree)
        var former: UInt32 = .max
        for (number, value) in written {
          let key = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
          try key.withUnsafeBytes { key in
            try value.withUnsafeBytes {
              try cursor.overwrite(key, $0, isNext: isGuess || number == former &+ 1)
            }
          }
          former = number
        }
      }
      for (number, value) in written { model[number] = value }
    }
    let found = try environment.read().entries(of: tree).map(\.1)
    #expect(found == model.sorted { $0.key < $1.key }.map(\.value), "seed \(seed)")
  }

  @Test func `overwrites values that are too long for their neighbours' page`() throws {
    let tree = try environment.makeTree("a")
    let keys = (0..<3).map { number in [UInt8]([0, 0, 0, 0, 0, number]) }
    // A quarter to three quarters of a page of 4 KiB: values from about 2,030 bytes on have a page
    // of their own.
    for byteCount in stride(from: 1_000, through: 3_000, by: 7) {
      for filling in [UInt8(1), 2] {
        try environment.writeSync { transaction in
          var cursor = try transaction.writeCursor(in: tree)
          for key in keys {
            let value = [UInt8](repeating: filling &+ key[5], count: byteCount)
            try key.withUnsafeBytes { key in
              try value.withUnsafeBytes { try cursor.overwrite(key, $0, isNext: true) }
            }
          }
        }
        let found = try environment.read().entries(of: tree)
        #expect(found.map(\.0) == keys, "\(byteCount) bytes")
        #expect(
          found.map(\.1)
            == keys.map { [UInt8](repeating: filling &+ $0[5], count: byteCount) },
          "\(byteCount) bytes")
      }
    }
  }

  @Test func `keeps its order when the transaction writes beside it`() throws {
    let tree = try environment.makeTree("a")
    try environment.writeSync { transaction in
      var cursor = try transaction.writeCursor(in: tree)
      for number in 0..<3000 {
        let key = withUnsafeBytes(of: UInt32(number * 3).bigEndian) { [UInt8]($0) }
        let beside = withUnsafeBytes(of: UInt32(number * 7919 % 9000).bigEndian) { [UInt8]($0) }
        try key.withUnsafeBytes { key in try cursor.put(key, key) }
        try beside.withUnsafeBytes { key in
          if number % 5 == 0 {
            try transaction.delete(key, in: tree)
          } else {
            try transaction.put(key, key, in: tree)
          }
        }
      }
    }
    #expect(isInOrder(try environment.read().entries(of: tree)))
  }
}
