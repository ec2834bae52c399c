// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

private struct Abandoned: Error {}

@Suite struct `Trees of an environment` {
  private let scratch: ScratchEnvironment
  private let environment: Environment

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
  }

  @Test func `are found by name once they are committed`() throws {
    #expect(try environment.tree(named: "a") == nil)
    let made = try environment.makeTree("a")
    #expect(try environment.tree(named: "a") == made)
  }

  @Test func `are found again when the file was closed and opened`() throws {
    let scratch = try ScratchEnvironment()
    do { try scratch.open().makeTree("a", ["k": "v"]) }
    let environment = try scratch.open()
    let tree = try #require(try environment.tree(named: "a"))
    #expect(try environment.read().text("k", in: tree) == "v")
  }

  @Test func `are gone when the transaction that made them aborts`() throws {
    #expect(throws: Abandoned.self) {
      try environment.writeSync { transaction in
        _ = try transaction.makeTree(named: "a")
        throw Abandoned()
      }
    }
    #expect(try environment.tree(named: "a") == nil)
    try environment.makeTree("b", ["k": "v"])
    #expect(try environment.read().treeNames() == ["b"])
  }

  @Test func `are listed in byte order`() throws {
    for name in ["records", "links", "catalog"] { try environment.makeTree(name) }
    #expect(try environment.read().treeNames() == ["catalog", "links", "records"])
  }

  @Test func `are listed without the notes beside them, which each transaction reads`() throws {
    let bytes: [UInt8] = [1, 2, 3]
    try environment.writeSync { transaction in
      _ = try transaction.makeTree(named: "a")
      try bytes.withUnsafeBytes { try transaction.setNote("#count", to: $0) }
    }
    let former = try environment.read()
    try environment.writeSync { transaction in
      try [UInt8](bytes.reversed()).withUnsafeBytes { try transaction.setNote("#count", to: $0) }
    }
    let transaction = try environment.read()
    #expect(try transaction.treeNames() == ["a"])
    #expect(try former.note("#count").map { [UInt8]($0) } == [1, 2, 3])
    #expect(try transaction.note("#count").map { [UInt8]($0) } == [3, 2, 1])
    #expect(try transaction.note("#other").map { [UInt8]($0) } == nil)
    #expect(try environment.tree(named: "b") == nil)
  }

  @Test func `are emptied by clear and removed by drop`() throws {
    let tree = try environment.makeTree("a", ["k": "v"])
    try environment.writeSync { try $0.clear(tree) }
    #expect(try environment.read().statistics(of: tree).entryCount == 0)
    try environment.writeSync { try $0.drop(tree) }
    #expect(try environment.tree(named: "a") == nil)
    #expect(try environment.read().treeNames() == [])
  }

  @Test func `are no more than the options say`() throws {
    let scratch = try ScratchEnvironment()
    var options = scratch.options
    options.treeCountMax = 2
    let environment = try Environment.open(at: scratch.path, options: options)
    try environment.makeTree("a")
    try environment.makeTree("b")
    #expect(throws: LMDBError.treesFull) { try environment.makeTree("c") }
  }

  @Test func `are unknown to a snapshot that is older, until it is renewed`() throws {
    let transaction = try environment.read()
    let tree = try environment.makeTree("a", ["k": "v"])
    #expect(throws: LMDBError.badTree) { try transaction.text("k", in: tree) }
    #expect(throws: LMDBError.badTree) { _ = try transaction.cursor(in: tree) }
    try transaction.renew()
    #expect(try transaction.text("k", in: tree) == "v")
  }

  @Test func `say how many entries they have`() throws {
    let tree = try environment.makeTree("a", ["k": "v", "l": "w"])
    let statistics = try environment.read().statistics(of: tree)
    #expect(statistics.entryCount == 2)
    #expect(statistics.depth == 1)
    #expect(statistics.leafPageCount == 1)
  }

  @Test func `can be opened by many threads at once`() async throws {
    for name in 0..<8 { try environment.makeTree("\(name)") }
    try await withThrowingTaskGroup(of: Tree?.self) { group in
      for number in 0..<64 {
        group.addTask { [environment] in
          if number % 8 == 0 {
            return try environment.writeSync { try $0.makeTree(named: "new \(number)") }
          }
          return try environment.tree(named: "\(number % 8)")
        }
      }
      for try await tree in group { #expect(tree != nil) }
    }
    #expect(try environment.read().treeNames().count == 16)
  }
}
