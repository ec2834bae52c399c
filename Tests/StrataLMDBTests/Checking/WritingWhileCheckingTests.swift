// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport
import Testing

@testable import StrataLMDB

@Suite struct `A file that is checked while others write` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let damage = LMDBError.damagedPage(number: 3, .kind)

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    try environment.makeTree("a", ["key": "value"])
  }

  /// Checks the newest snapshot of the file by `body`.
  private func check(_ body: (FileHeader) throws(LMDBError) -> Void) throws(LMDBError) {
    try Environment.checkNewest(
      environment.file, at: scratch.path, environment.beginReading, body)
  }

  /// Raises the numbers of both headers, as two commits with another lock file do.
  private func commitElsewhere() throws(LMDBError) {
    for page in 0...1 {
      // mdb.c's MDB_meta: the number is 128 bytes after the head of the page.
      let place = off_t(page * Int(getpagesize()) + 144)
      var number: UInt64 = 0
      guard pread(environment.file, &number, 8, place) == 8 else { throw LMDBError(code: errno) }
      number += 2
      guard pwrite(environment.file, &number, 8, place) == 8 else { throw LMDBError(code: errno) }
    }
  }

  @Test func `with another lock file is not called damaged`() {
    var count = 0
    #expect(throws: LMDBError.writtenByAnother(path: scratch.path)) {
      try check { (_) throws(LMDBError) in
        count += 1
        try commitElsewhere()
        throw damage
      }
    }
    #expect(count == 1)
  }

  @Test func `with the same lock file is called damaged if it is, after a second look`() {
    var count = 0
    #expect(throws: damage) {
      try check { (_) throws(LMDBError) in
        count += 1
        for _ in 0..<2 {
          do { try environment.makeTree("\(count)") } catch { Issue.record(error) }
        }
        throw damage
      }
    }
    #expect(count == 2)
  }

  @Test func `by nobody is called damaged at once`() {
    var count = 0
    #expect(throws: damage) {
      try check { (_) throws(LMDBError) in
        count += 1
        throw damage
      }
    }
    #expect(count == 1)
  }

  @Test func `is sound if a second look finds it so`() throws {
    var count = 0
    try check { (_) throws(LMDBError) in
      count += 1
      guard count == 1 else { return }
      do { try environment.makeTree("b") } catch { Issue.record(error) }
      throw damage
    }
    #expect(count == 2)
  }
}
