// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

/// A tree of small entries whose pages are changed at random, and then walked and searched.
@Suite struct `Pages of entries that are damaged` {
  private static let pageByteCount = 4_096
  private let scratch: ScratchEnvironment
  private let bytes: Data
  private let keys: [[UInt8]]
  /// The pages of the tree. The page of its name may have an entry in its unused part, because LMDB
  /// does not clear memory that it uses again; damage there kills LMDB.
  private let pages: [Int]

  init() throws {
    scratch = try ScratchEnvironment(byteCountMax: 1 << 26)
    let keys = (0..<16_000).map { Array("entry \(100_000 + 7 * $0)".utf8) }
    self.keys = keys
    do {
      let environment = try scratch.open()
      let tree = try environment.makeTree("entries")
      try environment.writeSync { transaction in
        for (number, key) in keys.enumerated() {
          try StrataLMDBTests.bytes(of: key) { key in
            try StrataLMDBTests.bytes(of: [UInt8](repeating: 3, count: number % 90)) {
              try transaction.put(key, $0, in: tree)
            }
          }
        }
      }
      let reader = try environment.read()
      #expect(try reader.statistics(of: tree).depth == 3)
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    self.bytes = bytes
    pages = (2..<bytes.count / Self.pageByteCount).filter { page in
      let start = page * Self.pageByteCount
      let content = bytes[start..<start + Self.pageByteCount]
      return content.range(of: Data("entry ".utf8)) != nil
        && content.range(of: Data("entries".utf8)) == nil
    }
  }

  private var branches: [Int] { pages.filter { bytes[$0 * Self.pageByteCount + 10] & 3 == 1 } }

  /// Where the nodes of a page are in the file.
  private func nodes(_ page: Int) -> [Int] {
    let start = page * Self.pageByteCount
    let count = (Int(bytes[start + 12]) | Int(bytes[start + 13]) << 8) / 2 - 8
    return (0..<count).map {
      start + (Int(bytes[start + 16 + 2 * $0]) | Int(bytes[start + 17 + 2 * $0]) << 8)
    }
  }

  /// Whether anything is wrong in the file after `change`: an error, or other keys.
  private func isWrong(after change: (inout Data) -> Void) throws -> Bool {
    var changed = bytes
    change(&changed)
    try changed.write(to: URL(fileURLWithPath: scratch.path))
    let environment = try scratch.open(trusted: true)
    let tree = try #require(try environment.tree(named: "entries"))
    let reader = try environment.read()
    var isWrong = false
    func attempt(_ read: (inout EntryCursor) throws -> Bool) throws {
      var cursor = EntryCursor(on: tree, named: "entries", in: reader, readsPages: true)
      do {
        if try !read(&cursor) { isWrong = true }
      } catch is LMDBError {
        isWrong = true
      }
    }
    try attempt { cursor in
      var found: [[UInt8]] = []
      var isThere = try cursor.first()
      while isThere {
        found.append(Array(cursor.key))
        isThere = try cursor.next()
      }
      return found == keys
    }
    try attempt { cursor in
      var found: [[UInt8]] = []
      var isThere = try cursor.last()
      while isThere {
        found.append(Array(cursor.key))
        isThere = try cursor.previous()
      }
      return found == keys.reversed()
    }
    for index in stride(from: 5, to: keys.count, by: 61) {
      try attempt { cursor in
        let isThere = try StrataLMDBTests.bytes(of: keys[index]) {
          try cursor.seek(atOrAbove: $0)
        }
        return isThere && Array(cursor.key) == keys[index]
      }
    }
    return isWrong
  }

  @Test func `give entries or errors, whatever was changed`() throws {
    #expect(try !isWrong { _ in })
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var wrongCount = 0
    for _ in 0..<150 {
      let isWrong = try isWrong { bytes in
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          let inPage =
            Bool.random(using: &random)
            ? Int.random(in: 0..<80, using: &random)
            : Int.random(in: 0..<Self.pageByteCount - 8, using: &random)
          let place = pages.randomElement(using: &random)! * Self.pageByteCount + inPage
          switch Int.random(in: 0..<3, using: &random) {
          case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 1: bytes.replaceSubrange(place..<place + 2, with: [0xFF, 0xFF])
          default:
            for index in 0..<8 { bytes[place + index] = .random(in: 0...255, using: &random) }
          }
        }
      }
      if isWrong { wrongCount += 1 }
    }
    #expect(wrongCount > 60, "seed \(seed)")
  }

  @Test func `end each walk, though they lead round in a circle`() throws {
    // Each branch leads to its first child, or to its first and its second in turn.
    for cycle in [1, 2] {
      let isWrong = try isWrong { bytes in
        for branch in branches {
          let nodes = nodes(branch)
          for (index, node) in nodes.enumerated() {
            let child = nodes[index % min(cycle, nodes.count)]
            bytes.replaceSubrange(node..<node + 6, with: self.bytes[child..<child + 6])
          }
        }
      }
      #expect(isWrong)
    }
  }

  @Test func `are errors where branches lead beyond the file, or values beyond their page`() throws
  {
    #expect(
      try isWrong { bytes in
        for node in branches.flatMap(nodes) { bytes[node + 3] = 0x7F }
      })
    for page in pages where !branches.contains(page) {
      // The leaf's middle entry.
      let nodes = nodes(page)
      let isWrong = try isWrong { $0[nodes[nodes.count / 2] + 1] = 0x10 }
      #expect(isWrong, "page \(page)")
      if page > pages[0] + 4 { break }
    }
  }
}
