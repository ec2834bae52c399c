// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import Testing

/// A file with one entry, whose length is then made another. LMDB's node: the value's length in two
/// halves, flags, the key's length, 16 bits each; then the key.
private struct Lengthened {
  let scratch: ScratchEnvironment
  static let key = "the key of the entry"

  init(valueByteCount: Int) throws {
    scratch = try ScratchEnvironment()
    let value = String(repeating: "v", count: valueByteCount)
    let environment = try scratch.open()
    try environment.makeTree("a")
    try environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "a") else { return }
      try transaction.put(Self.key, value, in: tree)
    }
  }

  /// Changes two bytes of the node's head.
  func setWord(at index: Int, to word: UInt16) throws {
    let url = URL(fileURLWithPath: scratch.path)
    var file = try Data(contentsOf: url)
    let key = try #require(file.range(of: Data(Self.key.utf8)))
    file[key.lowerBound - 8 + 2 * index] = UInt8(truncatingIfNeeded: word)
    file[key.lowerBound - 7 + 2 * index] = UInt8(truncatingIfNeeded: word >> 8)
    try file.write(to: url)
  }

  /// How many bytes the entry's value has, by a look-up and by a cursor.
  func read() throws -> [Int?] {
    let environment = try scratch.open(trusted: true)
    let tree = try #require(try environment.tree(named: "a"))
    let transaction = try environment.read()
    let found = try bytes(of: Self.key) { try transaction.get($0, in: tree)?.count }
    var cursor = try transaction.cursor(in: tree)
    return [found, try cursor.first() ? cursor.value.count : nil]
  }
}

@Suite struct `An entry whose length is damaged` {
  @Test(arguments: [10, 1_000, 3_000, 100_000])
  func `is read if it is whole`(byteCount: Int) throws {
    let entry = try Lengthened(valueByteCount: byteCount)
    #expect(try entry.read() == [byteCount, byteCount])
  }

  @Test(arguments: [10, 1_000, 3_000, 100_000], [UInt16(0x0010), 0x7FFF, 0xFFFF])
  func `is an error before a read beyond the file`(
    byteCount: Int, upper: UInt16
  ) throws {
    let entry = try Lengthened(valueByteCount: byteCount)
    try entry.setWord(at: 1, to: upper)
    #expect(throws: LMDBError.corrupted) { try entry.read() }
  }

  @Test func `of its key is one too`() throws {
    let entry = try Lengthened(valueByteCount: 10)
    try entry.setWord(at: 3, to: 0xFFFF)
    let environment = try entry.scratch.open(trusted: true)
    let tree = try #require(try environment.tree(named: "a"))
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    #expect(throws: LMDBError.corrupted) { try cursor.first() }
  }

  @Test func `is found out in a file that grows, and in a write transaction`() throws {
    let entry = try Lengthened(valueByteCount: 3_000)
    let environment = try entry.scratch.open(trusted: true)
    #expect(try entry.read() == [3_000, 3_000])
    let value = [UInt8](repeating: 7, count: 2_000_000)
    try environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "a") else { return }
      try bytes(of: "grown") { key in
        try bytes(of: value) { try transaction.put(key, $0, in: tree) }
      }
      let count = try bytes(of: "grown") { try transaction.get($0, in: tree)?.count }
      #expect(count == 2_000_000, "of a page that is not in the file yet")
    }
    let tree = try #require(try environment.tree(named: "a"))
    let transaction = try environment.read()
    #expect(try bytes(of: "grown") { try transaction.get($0, in: tree)?.count } == 2_000_000)
  }
}
