// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

/// Replacing a file that is open.
enum Replacement: String, CaseIterable, CustomTestStringConvertible {
  case deleted, createdAgain, restoredByRename

  var testDescription: String { rawValue }

  /// - Parameter copy: the file that replaces the one at `path`.
  func perform(at path: String, with copy: String) throws {
    let files = FileManager.default
    switch self {
    case .deleted: try files.removeItem(atPath: path)
    case .createdAgain:
      try files.removeItem(atPath: path)
      try files.copyItem(atPath: copy, toPath: path)
    case .restoredByRename:
      guard rename(copy, path) == 0 else { throw LMDBError(code: errno) }
    }
  }
}

@Suite struct `A file that is replaced while it is open` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree
  private let copy: String

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a", ["k": "old"])
    copy = scratch.directory.file("copy").path
    try FileManager.default.copyItem(atPath: scratch.path, toPath: copy)
  }

  private var replaced: LMDBError { .fileReplaced(path: environment.path) }

  @Test(arguments: Replacement.allCases)
  func `is not written to any more`(_ replacement: Replacement) throws {
    try replacement.perform(at: scratch.path, with: copy)
    #expect(throws: replaced) { try environment.makeTree("b") }
    #expect(throws: replaced) { try environment.writeSync { _ in } }
  }

  @Test(arguments: Replacement.allCases)
  func `does not acknowledge the commit that was under way`(_ replacement: Replacement) throws {
    #expect(throws: replaced) {
      try environment.writeSync { [tree, scratch, copy] transaction in
        try transaction.put("k", "new", in: tree)
        try replacement.perform(at: scratch.path, with: copy)
      }
    }
  }

  @Test(arguments: Replacement.allCases)
  func `is no longer read by new readers`(_ replacement: Replacement) throws {
    try replacement.perform(at: scratch.path, with: copy)
    #expect(throws: replaced) { try environment.read() }
  }

  @Test(arguments: Replacement.allCases)
  func `is noticed by a reader that renews its transaction, in the end`(
    _ replacement: Replacement
  ) throws {
    let transaction = try environment.read()
    try replacement.perform(at: scratch.path, with: copy)
    #expect(throws: replaced) {
      for _ in 0..<1_000 { try transaction.renew() }
    }
  }

  @Test(arguments: [false, true])
  func `is one whose lock file is deleted or replaced`(isReplaced: Bool) throws {
    let lock = scratch.path + "-lock"
    let transaction = try environment.read()
    try FileManager.default.removeItem(atPath: lock)
    if isReplaced { #expect(FileManager.default.createFile(atPath: lock, contents: Data())) }
    #expect(throws: replaced) { try environment.writeSync { _ in } }
    #expect(throws: replaced) { try environment.read() }
    #expect(throws: replaced) {
      for _ in 0..<1_000 { try transaction.renew() }
    }
  }

  #if os(Linux)
    @Test(arguments: [0, 1_000])
    func `is one whose lock file is cut off`(byteCount: off_t) throws {
      let transaction = try environment.read()
      #expect(truncate(scratch.path + "-lock", byteCount) == 0)
      #expect(throws: replaced) { try environment.read() }
      #expect(throws: replaced) { try environment.writeSync { _ in } }
      #expect(throws: replaced) {
        for _ in 0..<1_000 { try transaction.renew() }
      }
    }

    @Test func `does not acknowledge a commit before which the lock file was cut off`() throws {
      #expect(throws: replaced) {
        try environment.writeSync { [tree, scratch] transaction in
          try transaction.put("k", "new", in: tree)
          #expect(truncate(scratch.path + "-lock", 0) == 0)
        }
      }
      // The thread that has held the lost lock writes to another file.
      let other = try ScratchEnvironment()
      let second = try other.open()
      for number in 0..<100 { try second.makeTree("\(number)") }
    }
  #endif

  @Test func `does not acknowledge a commit during which the lock file was deleted`() throws {
    #expect(throws: replaced) {
      try environment.writeSync { [tree, scratch] transaction in
        try transaction.put("k", "new", in: tree)
        try FileManager.default.removeItem(atPath: scratch.path + "-lock")
      }
    }
  }

  @Test func `is noticed at once by a reader, if the other file is written to`() throws {
    let transaction = try environment.read()
    try Replacement.restoredByRename.perform(at: scratch.path, with: copy)
    try commitElsewhere(at: scratch.path)
    #expect(throws: replaced) { try transaction.renew() }
  }

  @Test func `is noticed if an older copy was written over it in place`() throws {
    let transaction = try environment.read()
    for number in 0..<2 { try environment.makeTree("\(number)") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    let file = try #require(FileHandle(forWritingAtPath: scratch.path))
    try file.write(contentsOf: bytes)
    try file.close()
    #expect(throws: replaced) { try transaction.renew() }
    #expect(throws: replaced) { try environment.read() }
    #expect(throws: replaced) { try environment.writeSync { _ in } }
  }

  @Test func `keeps another file from being opened with its lock file`() throws {
    let scratch = try ScratchEnvironment()
    var environment: Environment? = try scratch.open()
    try environment?.makeTree("a")
    try FileManager.default.copyItem(atPath: scratch.path, toPath: scratch.path + "-copy")
    let path = try #require(environment?.path)
    try Replacement.createdAgain.perform(at: path, with: path + "-copy")
    #expect(throws: LMDBError.fileReplaced(path: path)) { try scratch.open() }
    environment = nil
    #expect(try scratch.open().read().treeNames() == ["a"])
  }

  @Test func `may lose its name if it was opened so`() throws {
    let scratch = try ScratchEnvironment(keepsName: false)
    let environment = try scratch.open()
    try FileManager.default.removeItem(atPath: scratch.path)
    let tree = try environment.makeTree("a", ["k": "v"])
    let transaction = try environment.read()
    for _ in 0..<1_000 { try transaction.renew() }
    #expect(try transaction.text("k", in: tree) == "v")
  }

  /// A commit through the path alone, as another process would make it.
  private func commitElsewhere(at path: String) throws {
    var opened: OpaquePointer?
    try #require(mdb_env_create(&opened) == 0)
    let environment = try #require(opened)
    defer { mdb_env_close(environment) }
    try #require(mdb_env_set_mapsize(environment, 1 << 29) == 0)
    let flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC)
    try #require(mdb_env_open(environment, path, flags, 0o644) == 0)
    var begun: OpaquePointer?
    try #require(mdb_txn_begin(environment, nil, 0, &begun) == 0)
    let transaction = try #require(begun)
    var directory: MDB_dbi = 0
    try #require(mdb_dbi_open(transaction, nil, 0, &directory) == 0)
    try bytes(of: "#note") { note in
      var key = MDB_val(
        mv_size: note.count, mv_data: UnsafeMutableRawPointer(mutating: note.baseAddress))
      var value = key
      try #require(mdb_put(transaction, directory, &key, &value, 0) == 0)
    }
    try #require(mdb_txn_commit(transaction) == 0)
  }
}
