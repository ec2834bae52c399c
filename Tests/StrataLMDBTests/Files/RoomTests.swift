// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import Testing

@Suite struct `A full map` {
  @Test func `fails the transaction, and neither earlier data nor the next one`() throws {
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 20)
    let environment = try scratch.open()
    let tree = try environment.makeTree("a", ["k": "v"])
    let large = String(repeating: "x", count: 10_000)
    #expect(throws: LMDBError.mapFull) {
      try environment.writeSync { transaction in
        for number in 0..<1000 { try transaction.put("\(number)", large, in: tree) }
      }
    }
    #expect(try environment.read().texts(of: tree) == ["k=v"])
    try environment.writeSync { transaction in
      try transaction.delete("k", in: tree)
      try transaction.put("l", "w", in: tree)
    }
    #expect(try environment.read().texts(of: tree) == ["l=w"])
  }

  @Test func `leaves the transaction unusable until it is aborted`() throws {
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 20)
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    let fillAndGoOn: @Sendable (WriteTransaction) throws -> Void = { transaction in
      let large = String(repeating: "x", count: 8 << 20)
      #expect(throws: LMDBError.mapFull) { try transaction.put("k", large, in: tree) }
      #expect(throws: LMDBError.badTransaction) { try transaction.put("l", "w", in: tree) }
    }
    #expect(throws: LMDBError.badTransaction) {
      try environment.writeSync { try fillAndGoOn($0) }
    }
    #expect(try environment.read().statistics(of: tree).entryCount == 0)
  }
}

@Suite struct `Each durability` {
  @Test(arguments: StoreDurability.allCases)
  func `keeps committed data when the file is closed and opened`(
    durability: StoreDurability
  ) throws {
    let scratch = try ScratchEnvironment(durability: durability)
    do {
      let environment = try scratch.open()
      try environment.makeTree("a", ["k": "v"])
    }
    let environment = try scratch.open()
    let tree = try #require(try environment.tree(named: "a"))
    #expect(try environment.read().text("k", in: tree) == "v")
  }
}

@Suite struct `The statistics of an environment` {
  @Test func `tell its size and its commits`() throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let before = try environment.statistics()
    try environment.makeTree("a", ["k": String(repeating: "x", count: 50_000)])
    let after = try environment.statistics()
    #expect(after.lastTransactionID == before.lastTransactionID + 1)
    #expect(after.usedSizeBytes >= before.usedSizeBytes + 50_000)
    #expect(after.mapSizeBytes == environment.mapByteCount)
    #expect(after.readerCountMax == 1024)
    let file = try FileManager.default.attributesOfItem(atPath: scratch.path)
    #expect(after.usedSizeBytes == file[.size] as? Int)
  }
}

/// Keys of one length, and values of one page each.
private func fill(
  _ keys: Range<Int>, of tree: Tree, in environment: Environment, byteCount: Int = 3_000
) throws {
  try environment.writeSync { transaction in
    for key in keys {
      try transaction.put(
        String(format: "%06d", key), String(repeating: "x", count: byteCount), in: tree)
    }
  }
}

@Suite struct `A file at its limit` {
  @Test func `is no larger than the limit while content comes, and takes all deletions`() throws {
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 20)
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    var count = 0
    #expect(throws: LMDBError.mapFull) {
      while true {
        try fill(count..<(count + 8), of: tree, in: environment)
        count += 8
      }
    }
    #expect(count >= 200)
    #expect(environment.usedByteCount <= 1 << 20)
    // An update of the same length, one that is shorter, and a deletion of everything.
    try fill(0..<200, of: tree, in: environment)
    try fill(0..<100, of: tree, in: environment, byteCount: 2_900)
    try environment.writeSync { [count] transaction in
      for key in 0..<count { try transaction.delete(String(format: "%06d", key), in: tree) }
    }
    #expect(try environment.read().statistics(of: tree).entryCount == 0)
    #expect(environment.usedByteCount <= environment.mapByteCount)
  }

  @Test func `takes no content in small steps`() throws {
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 20)
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    var count = 0
    while environment.usedByteCount <= 1 << 20 {
      guard (try? fill(count..<(count + 1), of: tree, in: environment, byteCount: 2_500)) != nil
      else { break }
      count += 1
    }
    let full = environment.usedByteCount
    for step in 0..<200 {
      try? fill(count..<(count + 1), of: tree, in: environment, byteCount: 2_500 + step)
    }
    // LMDB's list of free pages may need some.
    #expect(environment.usedByteCount <= full + 16 * environment.pageByteCount)
  }
}
