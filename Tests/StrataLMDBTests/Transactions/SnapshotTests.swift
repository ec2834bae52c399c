// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

@Suite struct `A read transaction` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a", ["k": "old"])
  }

  private func write(_ value: String) throws {
    try environment.writeSync { [tree] in try $0.put("k", value, in: tree) }
  }

  @Test func `keeps its snapshot until it is renewed`() throws {
    let transaction = try environment.read()
    let id = transaction.transactionID
    try write("new")
    #expect(try transaction.text("k", in: tree) == "old")
    #expect(transaction.transactionID == id)
    try transaction.renew()
    #expect(try transaction.text("k", in: tree) == "new")
    #expect(transaction.transactionID == id + 1)
  }

  @Test func `does not see uncommitted changes`() throws {
    try environment.writeSync { [tree, environment] writing in
      try writing.put("k", "new", in: tree)
      #expect(try writing.text("k", in: tree) == "new")
      #expect(try environment.read().text("k", in: tree) == "old")
    }
    #expect(try environment.read().text("k", in: tree) == "new")
  }

  @Test func `refuses lookups after it has ended and goes on when renewed`() throws {
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    transaction.end()
    #expect(throws: LMDBError.badTransaction) { try transaction.text("k", in: tree) }
    do {
      _ = try cursor.first()
      Issue.record("A cursor moved in a transaction that has ended.")
    } catch {
      #expect(error == .badTransaction)
    }
    try transaction.renew()
    #expect(try transaction.text("k", in: tree) == "old")
    #expect(try cursor.first())
  }

  @Test func `pins no snapshot after it has ended`() throws {
    let transaction = try environment.read()
    for number in 0..<5 { try write("\(number)") }
    #expect(try environment.statistics().oldestReaderLag == 5)
    transaction.end()
    #expect(try environment.statistics().oldestReaderTransactionID == nil)
    #expect(try environment.statistics().oldestReaderLag == 0)
  }

  @Test func `uses the slot that another has left`() throws {
    for _ in 0..<2000 { _ = try environment.read().text("k", in: tree) }
    #expect(try environment.statistics().readerCount == 0)
    let (first, second) = (try environment.read(), try environment.read())
    #expect(try environment.statistics().readerCount == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `is an error, not a trap, when no slot is left`() throws {
    let scratch = try ScratchEnvironment(readerCountMax: 4)
    let environment = try scratch.open()
    var transactions: [ReadTransaction] = []
    for _ in 0..<4 { transactions.append(try environment.read()) }
    #expect(throws: LMDBError.readersFull) { _ = try environment.read() }
    #expect(environment.clearDeadReaders() == 0)
    transactions.removeLast()
    _ = try environment.read()
  }

  @Test func `may move between threads`() async throws {
    for _ in 0..<50 {
      let transaction = try environment.read()
      let value = try await Self.read(transaction, tree)
      #expect(value == "old")
    }
  }

  @concurrent private static func read(
    _ transaction: sending ReadTransaction, _ tree: Tree
  ) async throws -> String? {
    try transaction.text("k", in: tree)
  }

  @Test func `reads a whole commit or none of it, while others write`() async throws {
    let pairs = try environment.makeTree("pairs", ["x": "0", "y": "0"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { [environment] in
          for _ in 0..<300 {
            let transaction = try environment.read()
            #expect(try transaction.text("x", in: pairs) == transaction.text("y", in: pairs))
          }
        }
      }
      for number in 1...300 {
        try environment.writeSync { transaction in
          try transaction.put("x", "\(number)", in: pairs)
          try transaction.put("y", "\(number)", in: pairs)
        }
      }
      try await group.waitForAll()
    }
  }
}
