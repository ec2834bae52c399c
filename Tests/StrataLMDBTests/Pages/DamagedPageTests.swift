// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

/// A file with a tree of numbers: branches, leaves and values with pages of their own. Its bytes
/// are changed at random, and then it is read from its pages: by each of the ways there are.
@Suite struct `Pages that are damaged` {
  private struct Damageable {
    let scratch: ScratchEnvironment
    let bytes: Data
    /// The pages except headers and those of the tree of names: pages that LMDB itself reads stay
    /// whole, because damage there kills it.
    let pages: [Int]
    let numbers: [UInt64]
    static let pageByteCount = 4096

    init() throws {
      scratch = try ScratchEnvironment(byteCountMax: 1 << 26)
      do {
        let environment = try scratch.open()
        let tree = try environment.makeTree("numbers")
        try environment.writeSync { transaction in
          for number in UInt64(1)...24_000 {
            let byteCount = number % 500 == 0 ? 9_000 : Int(number % 70)
            try withBytes(of: number * 3) { key in
              try StrataLMDBTests.bytes(of: [UInt8](repeating: 7, count: byteCount)) {
                try transaction.put(key, $0, in: tree)
              }
            }
          }
        }
        let reader = try environment.read()
        #expect(try reader.statistics(of: tree).depth == 3)
      }
      numbers = (1...24_000).map { $0 * 3 }
      bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
      var pages: [Int] = []
      for page in 2..<(bytes.count / Self.pageByteCount) {
        let start = page * Self.pageByteCount
        let content = bytes[start..<start + Self.pageByteCount]
        if content.range(of: Data("numbers".utf8)) == nil { pages.append(page) }
      }
      self.pages = pages
    }

    /// Reads the content of the file after `change`.
    ///
    /// - Returns: whether there was any error.
    func read(
      _ random: inout SeededGenerator,
      after change: (inout Data, inout SeededGenerator) -> Void
    ) throws -> Bool {
      var changed = bytes
      change(&changed, &random)
      try changed.write(to: URL(fileURLWithPath: scratch.path))
      let environment = try scratch.open(trusted: true)
      let tree = try #require(try environment.tree(named: "numbers"))
      let mapped = RecordTree(
        tree, named: "numbers", in: try environment.read(), readsPages: true)
      let sought = numbers.shuffled(using: &random).prefix(300)
      var isWrong = false
      let attempt = { (read: () throws -> Bool) in
        do {
          if try !read() { isWrong = true }
        } catch is LMDBError {
          isWrong = true
        }
      }
      try attempt {
        let walked = try walk(mapped)
        return walked.map(\.0) == numbers
      }
      for number in sought {
        try attempt { try mapped.value(under: number) != nil }
      }
      for start in stride(from: 0, to: sought.count, by: 30) {
        try attempt {
          try find(Array(sought.dropFirst(start).prefix(30)), in: mapped).allSatisfy { $0 != nil }
        }
      }
      return isWrong
    }
  }

  /// Where in a page damage is most telling, besides anywhere.
  private static func place(_ random: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int.random(in: 0..<16, using: &random)
    case 1: Int.random(in: 16..<80, using: &random)
    default: Int.random(in: 0..<Damageable.pageByteCount - 8, using: &random)
    }
  }

  @Test func `give values or errors, whatever was changed`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let damageable = try Damageable()
    var wrongCount = 0
    do {
      for _ in 0..<120 {
        let isWrong = try damageable.read(&random) { bytes, random in
          for _ in 0..<Int.random(in: 1...12, using: &random) {
            guard let page = damageable.pages.randomElement(using: &random) else { return }
            let place = page * Damageable.pageByteCount + Self.place(&random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = .random(in: 0...255, using: &random)
            case 2: bytes.replaceSubrange(place..<place + 2, with: [0xFF, 0xFF])
            default:
              for index in 0..<8 { bytes[place + index] = .random(in: 0...255, using: &random) }
            }
          }
        }
        if isWrong { wrongCount += 1 }
      }
    } catch {
      Issue.record("\(error), seed \(seed)")
    }
    #expect(wrongCount > 20, "seed \(seed)")
  }

  @Test func `are errors each, when their heads are not theirs`() throws {
    var random = SeededGenerator(seed: 1)
    let damageable = try Damageable()
    // A page in another's place, whole in itself.
    let isWrong = try damageable.read(&random) { bytes, random in
      let size = Damageable.pageByteCount
      for (page, other) in zip(damageable.pages, damageable.pages.dropFirst()) {
        bytes.replaceSubrange(
          page * size..<(page + 1) * size,
          with: damageable.bytes[other * size..<(other + 1) * size])
      }
    }
    #expect(isWrong)
    for byte in [0, 7, 10, 12, 13, 14, 15] {
      let isWrong = try damageable.read(&random) { bytes, _ in
        for page in damageable.pages { bytes[page * Damageable.pageByteCount + byte] ^= 0x8F }
      }
      #expect(isWrong, "byte \(byte) of all heads")
    }
  }

  @Test func `are errors where they say that they have half a node, or none`() throws {
    var random = SeededGenerator(seed: 4)
    let damageable = try Damageable()
    let kinds = [UInt8(1), 2].map { kind in
      damageable.pages.filter { damageable.bytes[$0 * Damageable.pageByteCount + 10] & 3 == kind }
    }
    for lower: UInt8 in [16, 17, 19] {
      for page in kinds.flatMap({ $0.prefix(4) }) {
        let start = page * Damageable.pageByteCount
        let isWrong = try damageable.read(&random) { bytes, _ in
          bytes[start + 12] = lower
          bytes[start + 13] = 0
        }
        #expect(isWrong, "page \(page), \(lower)")
      }
    }
  }

  @Test func `are errors where branches lead beyond the file`() throws {
    var random = SeededGenerator(seed: 2)
    let damageable = try Damageable()
    let isWrong = try damageable.read(&random) { bytes, _ in
      for page in damageable.pages {
        let start = page * Damageable.pageByteCount
        guard bytes[start + 10] & 1 == 1 else { continue }
        let count = (Int(bytes[start + 12]) | Int(bytes[start + 13]) << 8) / 2 - 8
        for index in 0..<count {
          let place = start + 16 + 2 * index
          let node = start + (Int(bytes[place]) | Int(bytes[place + 1]) << 8)
          bytes[node + 3] = 0x7F
        }
      }
    }
    #expect(isWrong)
  }

  @Test func `end each walk, though they lead round in a circle`() throws {
    var random = SeededGenerator(seed: 3)
    let damageable = try Damageable()
    let isWrong = try damageable.read(&random) { bytes, _ in
      for page in damageable.pages {
        let start = page * Damageable.pageByteCount
        guard bytes[start + 10] & 1 == 1 else { continue }
        let count = (Int(bytes[start + 12]) | Int(bytes[start + 13]) << 8) / 2 - 8
        let first = start + (Int(bytes[start + 16]) | Int(bytes[start + 17]) << 8)
        let child = [UInt8](bytes[first..<first + 6])
        for index in 1..<count {
          let place = start + 16 + 2 * index
          let node = start + (Int(bytes[place]) | Int(bytes[place + 1]) << 8)
          bytes.replaceSubrange(node..<node + 6, with: child)
        }
      }
    }
    #expect(isWrong)
  }
}
