// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A file that was closed in order` {
  private let scratch: ScratchEnvironment

  init() throws {
    scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    try environment.writeSync { transaction in
      let tree = try transaction.makeTree(named: "a")
      for number in 0..<100 { try transaction.put("key \(number)", "value", in: tree) }
    }
  }

  private enum Trace {
    /// None: the disk has other bits than were written.
    case none
    /// Another program has written, and has set the former time.
    case timeOfChange
    /// Another program has written.
    case all
  }

  /// Changes bytes in place.
  ///
  /// - Parameter change: by default, changes a value.
  private func damage(
    leaving trace: Trace,
    _ change: (inout Data) throws -> Void = { bytes in
      bytes.replaceSubrange(try #require(bytes.range(of: Data("value".utf8))), with: "VALUE".utf8)
    }
  ) throws {
    var status = stat()
    stat(scratch.path, &status)
    let url = URL(fileURLWithPath: scratch.path)
    var bytes = try Data(contentsOf: url)
    try change(&bytes)
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.truncate(atOffset: UInt64(bytes.count))
    try handle.close()
    switch trace {
    case .all: break
    case .none: OpeningCheck.noteStamp(besideFileAt: scratch.path)
    case .timeOfChange:
      #if canImport(Darwin)
        let times = [status.st_atimespec, status.st_mtimespec]
      #else
        let times = [status.st_atim, status.st_mtim]
      #endif
      utimensat(AT_FDCWD, scratch.path, times, 0)
    }
  }

  /// Not if LMDB's calls read all: they need the check.
  @Test(.enabled(if: RecordTree.readsPages))
  func `is not read as a whole when it is opened`() throws {
    try damage(leaving: .none)
    let environment = try scratch.open()
    let tree = try #require(try environment.tree(named: "a"))
    let transaction = try environment.read()
    let values = try (0..<100).map { try transaction.text("key \($0)", in: tree) }
    #expect(values.count { $0 == "value" } == 99)
    #expect(values.count { $0 == "VALUE" } == 1)
  }

  @Test func `is read as a whole before the first write`() throws {
    try damage(leaving: .none)
    let environment = try scratch.open()
    for _ in 0..<2 {
      #expect(throws: LMDBError.damagedPage(number: 0, .seal)) {
        try environment.writeSync { _ in }
      }
    }
  }

  @Test func `is read as a whole before LMDB walks through a tree, and before a copy`() throws {
    try damage(leaving: .none)
    let environment = try scratch.open()
    let tree = try #require(try environment.tree(named: "a"))
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) {
      try environment.read().texts(of: tree)
    }
    let copy = open(scratch.path + "-copy", O_RDWR | O_CREAT, 0o600)
    defer { close(copy) }
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) {
      try environment.copy(toDescriptor: copy, compacting: true)
    }
  }

  @Test func `is read as a whole if its stamp is to be ignored`() throws {
    try damage(leaving: .none)
    var options = scratch.options
    options.ignoresStamp = true
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) {
      try Environment.open(at: scratch.path, options: options)
    }
  }

  @Test func `is read as a whole if anything has written to it since`() throws {
    for trace in [Trace.all, .timeOfChange] {
      try damage(leaving: trace)
      #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try scratch.open() }
      try damage(leaving: .all) { bytes in
        bytes.replaceSubrange(try #require(bytes.range(of: Data("VALUE".utf8))), with: "value".utf8)
      }
    }
  }

  @Test(arguments: ["--preserve=all", "--preserve=xattr", "--archive"])
  func `is read as a whole in another place, also with a copy of its stamp`(
    option: String
  ) throws {
    try damage(leaving: .none)
    let copy = try ScratchEnvironment()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cp")
    process.arguments = [option, scratch.path, copy.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try copy.open() }
  }

  @Test func `is read as a whole if its stamp is of another time than its last change`() throws {
    try damage(leaving: .none)
    // Sets the time of the last change of any kind. The system's clock goes in steps.
    usleep(100_000)
    chmod(scratch.path, 0o600)
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try scratch.open() }
  }

  @Test func `is refused if the pages that lead to its trees are damaged`() throws {
    try damage(leaving: .none) { bytes in
      // All leaves, including the one with the names.
      for start in stride(from: 2 * 4096, to: bytes.count, by: 4096) where bytes[start + 10] == 2 {
        bytes.replaceSubrange(start..<(start + 8), with: Data(count: 8))
      }
    }
    #expect(throws: LMDBError.self) { try scratch.open() }
  }

  @Test func `is an error if it was cut off`() throws {
    let pageCount = try Data(contentsOf: URL(fileURLWithPath: scratch.path)).count / 4096
    var errorCount = 0
    // Without its headers and the page of the names it cannot be opened.
    for count in (1..<pageCount).reversed() {
      try damage(leaving: .none) { $0.removeLast($0.count - count * 4096) }
      do {
        let environment = try scratch.open()
        if let tree = try environment.tree(named: "a") {
          for number in 0..<100 { _ = try environment.read().text("key \(number)", in: tree) }
        }
      } catch is LMDBError {
        errorCount += 1
      }
    }
    #expect(errorCount > 0)
  }

  @Test func `is read again after a check that has refused it`() throws {
    try damage(leaving: .all)
    for _ in 0..<2 {
      #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try scratch.open() }
    }
  }
}
