// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

@Suite struct `Entries of a tree` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("cities", ["b": "Berlin", "a": "Ankara", "c": "Cairo"])
  }

  @Test func `come back as they were put, in byte order`() throws {
    let transaction = try environment.read()
    #expect(try transaction.text("b", in: tree) == "Berlin")
    #expect(try transaction.text("d", in: tree) == nil)
    #expect(try transaction.texts(of: tree) == ["a=Ankara", "b=Berlin", "c=Cairo"])
  }

  @Test func `are replaced`() throws {
    try environment.writeSync { [tree] transaction in
      try transaction.put("a", "Accra", in: tree)
      try transaction.put("d", "Delhi", in: tree)
    }
    #expect(
      try environment.read().texts(of: tree) == ["a=Accra", "b=Berlin", "c=Cairo", "d=Delhi"])
  }

  @Test func `may be empty, and larger than a page`() throws {
    let large = String(repeating: "x", count: 100_000)
    try environment.writeSync { [tree] transaction in
      try transaction.put("empty", "", in: tree)
      try transaction.put("large", large, in: tree)
    }
    let transaction = try environment.read()
    #expect(try transaction.text("empty", in: tree) == "")
    #expect(try transaction.text("large", in: tree) == large)
    #expect(try transaction.statistics(of: tree).overflowPageCount > 20)
  }

  @Test func `are gone when deleted`() throws {
    let wereThere = try environment.writeSync { [tree] transaction in
      [try transaction.delete("a", in: tree), try transaction.delete("a", in: tree)]
    }
    #expect(wereThere == [true, false])
    #expect(try environment.read().texts(of: tree) == ["b=Berlin", "c=Cairo"])
  }

  @Test func `have keys of 1 to 511 bytes`() throws {
    let longest = String(repeating: "k", count: 511)
    try environment.writeSync { [tree] transaction in
      try transaction.put(longest, "x", in: tree)
      for key in ["", longest + "k"] {
        #expect(throws: LMDBError.badValueSize) { try transaction.put(key, "x", in: tree) }
        #expect(throws: LMDBError.badValueSize) { try transaction.delete(key, in: tree) }
        #expect(throws: LMDBError.badValueSize) { try transaction.text(key, in: tree) }
      }
    }
    #expect(try environment.read().text(longest, in: tree) == "x")
  }
}
