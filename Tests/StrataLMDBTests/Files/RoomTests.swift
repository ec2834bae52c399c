// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB  // statfs
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

  @Test func `takes a transaction that makes all entries together no longer`() throws {
    let scratch = try ScratchEnvironment(byteCountMax: 1 << 20)
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    var count = 0
    while (try? fill(count..<(count + 1), of: tree, in: environment)) != nil { count += 1 }
    func exchange(_ removed: Range<Int>, for added: Range<Int>) throws {
      try environment.writeSync { transaction in
        for key in removed { try transaction.delete(String(format: "%06d", key), in: tree) }
        for key in added {
          try transaction.put(
            String(format: "%06d", key), String(repeating: "x", count: 3_000), in: tree)
        }
      }
    }
    try exchange(0..<20, for: 1_000..<1_020)
    #expect(throws: LMDBError.mapFull) {
      for start in stride(from: 20, to: count, by: 10) {
        try exchange(start..<(start + 5), for: (2_000 + start)..<(2_006 + start))
      }
    }
  }

  #if os(Linux)
    /// Whether the tests' folder is on ext4, xfs or tmpfs. Others may keep no blocks.
    private static var keepsBlocks: Bool {
      var system = statfs()
      guard statfs(NSTemporaryDirectory(), &system) == 0 else { return false }
      return [0xEF53, 0x5846_5342, 0x0102_1994].contains(Int(system.f_type))
    }

    /// A sixteenth of the file, 512 KiB to 8 MiB; twice as much is asked for at once.
    @Test(
      .enabled(if: keepsBlocks),
      arguments: [(1 << 20, 1 << 19), (32 << 20, 2 << 20), (160 << 20, 8 << 20)])
    func `keeps blocks of the disk behind its end`(byteCount: Int, reserve: Int) throws {
      let scratch = try ScratchEnvironment()
      let environment = try scratch.open()
      let tree = try environment.makeTree("a")
      try fill(0..<(byteCount / 4096), of: tree, in: environment)
      var status = stat()
      #expect(stat(scratch.path, &status) == 0)
      let kept = Int(status.st_blocks) * 512 - environment.usedByteCount
      // The file may be shorter than its last page.
      #expect(kept >= reserve && kept <= 2 * reserve + byteCount / 8 + 64 << 10)
    }
  #endif

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
