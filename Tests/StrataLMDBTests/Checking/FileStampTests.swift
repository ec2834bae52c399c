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

  /// Changes a value in place.
  ///
  /// - Parameter keepsTime: whether the file has the former time of its last change afterwards.
  private func damage(keepsTime: Bool) throws {
    var status = stat()
    stat(scratch.path, &status)
    let url = URL(fileURLWithPath: scratch.path)
    let range = try #require(try Data(contentsOf: url).range(of: Data("value".utf8)))
    let handle = try FileHandle(forWritingTo: url)
    try handle.seek(toOffset: UInt64(range.lowerBound))
    try handle.write(contentsOf: Data("VALUE".utf8))
    try handle.close()
    guard keepsTime else { return }
    #if canImport(Darwin)
      let times = [status.st_atimespec, status.st_mtimespec]
    #else
      let times = [status.st_atim, status.st_mtim]
    #endif
    utimensat(AT_FDCWD, scratch.path, times, 0)
  }

  @Test func `is not read as a whole when it is opened`() throws {
    try damage(keepsTime: true)
    _ = try scratch.open()
  }

  @Test func `is read as a whole if anything has written to it since`() throws {
    try damage(keepsTime: false)
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try scratch.open() }
  }

  @Test func `is read as a whole in another place`() throws {
    try damage(keepsTime: true)
    let copy = try ScratchEnvironment()
    try Data(contentsOf: URL(fileURLWithPath: scratch.path))
      .write(to: URL(fileURLWithPath: copy.path))
    #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try copy.open() }
  }

  @Test func `is read again after a check that has refused it`() throws {
    try damage(keepsTime: false)
    for _ in 0..<2 {
      #expect(throws: LMDBError.damagedPage(number: 0, .seal)) { try scratch.open() }
    }
  }
}
