// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataPrimitives
import StrataTestSupport
import Testing

@Suite struct `A file that is cut off while it is open` {
  private let scratch: ScratchEnvironment
  private static let count = 5_000

  init() throws {
    scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    try environment.writeSync { transaction in
      let tree = try transaction.makeTree(named: "a")
      for number in 0..<Self.count { try transaction.put("key \(number)", "value", in: tree) }
    }
  }

  private func isDamage(_ error: any Error) -> Bool {
    switch error as? LMDBError {
    case .corrupted, .pageNotFound: true
    default: false
    }
  }

  private func readAll(_ environment: Environment) throws -> Int {
    let transaction = try environment.read()
    let tree = try #require(try environment.tree(named: "a"))
    var cursor = EntryCursor(on: tree, named: "a", in: transaction, readsPages: true)
    var (count, isThere) = (0, try cursor.first())
    while isThere {
      count += 1
      isThere = try cursor.next()
    }
    return count
  }

  @Test func `gives an error instead of a signal, and takes nothing more`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    do {
      let environment = try scratch.open()
      #expect(try readAll(environment) == Self.count)
      #expect(truncate(scratch.path, 4_096 * 6) == 0)
      #expect { try readAll(environment) } throws: { isDamage($0) }
      #expect { try environment.read() } throws: { isDamage($0) }
      #expect {
        try environment.writeSync { transaction in
          _ = try transaction.makeTree(named: "b")
        }
      } throws: { isDamage($0) }
    }
    #expect { try scratch.open() } throws: { error in
      if case LMDBError.damagedPage(_, .missing) = error { true } else { false }
    }
    try whole.write(to: URL(fileURLWithPath: scratch.path))
    #expect(try readAll(scratch.open()) == Self.count)
  }

  @Test func `ends a write transaction with an error, and leaves no lock`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    do {
      let environment = try scratch.open()
      #expect(try readAll(environment) == Self.count)
      let putCount = CountedMutex(0)
      #expect {
        try environment.writeSync { [path = scratch.path] transaction in
          let tree = try #require(try transaction.tree(named: "a"))
          truncate(path, 4_096 * 6)
          for number in 0..<Self.count {
            try transaction.put("key \(number)", "other", in: tree)
            putCount.withLock { $0 += 1 }
          }
        }
      } throws: { isDamage($0) }
      #expect(putCount.withLock { $0 } < Self.count)
      #expect { try environment.writeSync { _ in } } throws: { isDamage($0) }
      #expect { try environment.read() } throws: { isDamage($0) }
    }
    try whole.write(to: URL(fileURLWithPath: scratch.path))
    let environment = try scratch.open()
    #expect(try readAll(environment) == Self.count)
    try environment.writeSync { transaction in
      let tree = try #require(try transaction.tree(named: "a"))
      #expect(try transaction.text("key 0", in: tree) == "value")
      try transaction.put("key 0", "new", in: tree)
    }
  }
}
