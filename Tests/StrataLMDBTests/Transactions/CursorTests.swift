// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

@Suite struct `A cursor` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a", ["b": "1", "d": "2", "f": "3"])
  }

  /// The entry that the cursor stands on after a move, or nil when it moved nowhere.
  private func entry(_ isOnEntry: Bool, _ cursor: borrowing Cursor) -> String? {
    guard isOnEntry else { return nil }
    return String(decoding: cursor.key, as: UTF8.self)
      + String(decoding: cursor.value, as: UTF8.self)
  }

  private func seek(
    _ cursor: inout Cursor, atOrAbove text: String
  ) throws -> Bool {
    try bytes(of: text) { key in try cursor.seek(atOrAbove: key) }
  }

  @Test func `walks forwards and backwards`() throws {
    var cursor = try environment.read().cursor(in: tree)
    var forwards: [String?] = [entry(try cursor.first(), cursor)]
    for _ in 0..<3 { forwards.append(entry(try cursor.next(), cursor)) }
    #expect(forwards == ["b1", "d2", "f3", nil])
    var backwards: [String?] = [entry(try cursor.last(), cursor)]
    for _ in 0..<3 { backwards.append(entry(try cursor.previous(), cursor)) }
    #expect(backwards == ["f3", "d2", "b1", nil])
  }

  @Test func `starts at the first entry, or the last, when it is stepped from nowhere`() throws {
    let transaction = try environment.read()
    var forwards = try transaction.cursor(in: tree)
    #expect(entry(try forwards.next(), forwards) == "b1")
    var backwards = try transaction.cursor(in: tree)
    #expect(entry(try backwards.previous(), backwards) == "f3")
  }

  @Test func `seeks a key or the one above it`() throws {
    var cursor = try environment.read().cursor(in: tree)
    let found = try ["a", "b", "c", "d", "e", "f", "g"].map { key in
      entry(try seek(&cursor, atOrAbove: key), cursor)
    }
    #expect(found == ["b1", "b1", "d2", "d2", "f3", "f3", nil])
  }

  @Test func `seeks a key exactly`() throws {
    var cursor = try environment.read().cursor(in: tree)
    #expect(entry(try bytes(of: "d") { try cursor.seek(exactly: $0) }, cursor) == "d2")
    #expect(entry(try cursor.next(), cursor) == "f3")
    #expect(try !bytes(of: "c") { try cursor.seek(exactly: $0) })
  }

  @Test func `refuses a key that no tree can hold`() throws {
    var cursor = try environment.read().cursor(in: tree)
    for key in ["", String(repeating: "k", count: 512)] {
      do {
        _ = try seek(&cursor, atOrAbove: key)
        Issue.record("A key of \(key.utf8.count) bytes was sought.")
      } catch { #expect(error as? LMDBError == .badValueSize) }
    }
  }

  @Test func `finds nothing in an empty tree`() throws {
    let empty = try environment.makeTree("empty")
    var cursor = try environment.read().cursor(in: empty)
    #expect(try !cursor.first())
    #expect(try !cursor.last())
    #expect(try !cursor.next())
    #expect(try !seek(&cursor, atOrAbove: "a"))
  }

  @Test func `follows its transaction to the next snapshot`() throws {
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    for number in 0..<20 {
      let key = "c\(Character(UnicodeScalar(UInt8(97 + number))))"
      try environment.writeSync { [tree] in try $0.put(key, "x", in: tree) }
      try transaction.renew()
      #expect(entry(try seek(&cursor, atOrAbove: key), cursor) == key + "x")
      #expect(entry(try cursor.next(), cursor) == "d2")
    }
  }

  @Test func `sees the entries that its write transaction has put`() throws {
    let seen = try environment.writeSync { [tree] transaction in
      try transaction.put("a", "0", in: tree)
      try transaction.delete("d", in: tree)
      return try transaction.texts(of: tree)
    }
    #expect(seen == ["a=0", "b=1", "f=3"])
  }

  @Test func `may outlive its write transaction, unused`() throws {
    try environment.writeSync { [tree] transaction in
      let cursor = try transaction.cursor(in: tree)
      try transaction.commit()
      _ = consume cursor
    }
    #expect(try environment.read().text("b", in: tree) == "1")
  }

  @Test func `stops the process when it is stepped after its snapshot has gone`() async {
    await #expect(processExitsWith: .failure) {
      let scratch = try ScratchEnvironment()
      let environment = try scratch.open()
      let tree = try environment.makeTree("a", ["k": "v", "l": "w"])
      let transaction = try environment.read()
      var cursor = try transaction.cursor(in: tree)
      _ = try cursor.first()
      try transaction.renew()
      _ = try cursor.next()
    }
  }
}
