// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataPrimitives
import StrataTestSupport
import Testing

/// The page was damaged after the file was checked: it is opened as if it had been.
@Suite struct `A page about which an assertion of LMDB fails` {
  private let scratch: ScratchEnvironment
  private static let pageByteCount = 4_096

  init() throws {
    scratch = try ScratchEnvironment()
    try scratch.open().writeSync { transaction in
      let tree = try transaction.makeTree(named: "a")
      for number in 0..<5_000 { try transaction.put("key \(number)", "value", in: tree) }
    }
  }

  /// Leaves one key to each branch page of the file. LMDB asserts that there are two.
  private func shortenBranches() throws {
    let file = try #require(fopen(scratch.path, "r+"))
    defer { fclose(file) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    var count = 0
    for page in stride(from: 0, to: bytes.count, by: Self.pageByteCount)
    where bytes[page + 10] == 1 && bytes[page + 11] == 0 {
      fseek(file, page + 12, SEEK_SET)
      #expect(fwrite([18, 0] as [UInt8], 1, 2, file) == 2)
      count += 1
    }
    #expect(count > 0)
  }

  private func isDamage(_ error: any Error) -> Bool { error as? LMDBError == .corrupted }

  @Test func `gives an error to each change of the transaction, which is not committed`() throws {
    let environment = try scratch.open(trusted: true)
    let tree = try #require(try environment.tree(named: "a"))
    #expect(try environment.read().text("key 7", in: tree) != nil)
    try shortenBranches()
    let before = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    let damageCount = CountedMutex(0)
    #expect {
      try environment.writeSync { transaction in
        for _ in 0..<2 {
          do {
            try transaction.put("key 7", "other", in: tree)
          } catch LMDBError.corrupted {
            damageCount.withLock { $0 += 1 }
          }
        }
      }
    } throws: {
      isDamage($0)
    }
    #expect(damageCount.withLock { $0 } == 2)
    #expect { try environment.writeSync { _ in } } throws: { isDamage($0) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == before)
  }

  @Test func `leaves no lock to the next user of the file`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    do {
      let environment = try scratch.open(trusted: true)
      let tree = try #require(try environment.tree(named: "a"))
      #expect(try environment.read().text("key 7", in: tree) != nil)
      try shortenBranches()
      #expect {
        try environment.writeSync { try $0.put("key 7", "other", in: tree) }
      } throws: { isDamage($0) }
    }
    try whole.write(to: URL(fileURLWithPath: scratch.path))
    let environment = try scratch.open()
    let tree = try #require(try environment.tree(named: "a"))
    try environment.writeSync { try $0.put("key 7", "other", in: tree) }
    #expect(try environment.read().text("key 7", in: tree) == "other")
  }
}
