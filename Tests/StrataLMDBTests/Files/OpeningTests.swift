// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `Opening a file` {
  private let scratch: ScratchEnvironment

  init() throws { scratch = try ScratchEnvironment() }

  private func expect(_ expected: LMDBError, at path: String, createIfMissing: Bool = false) {
    var options = scratch.options
    options.createIfMissing = createIfMissing
    #expect(throws: expected) { try Environment.open(at: path, options: options) }
  }

  private func write(_ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: scratch.path))
  }

  @Test func `that is not there is an error, and makes none`() throws {
    expect(.noSuchFile, at: scratch.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory.url.path) == [])
  }

  @Test func `in a folder that is not there is an error`() {
    expect(.noSuchFile, at: scratch.path + "/no/store", createIfMissing: true)
  }

  @Test func `that is a folder is an error`() {
    expect(.notAnLMDBFile, at: scratch.directory.url.path)
    expect(.notAnLMDBFile, at: scratch.directory.url.path, createIfMissing: true)
  }

  @Test func `that is empty is an error, unless it may be created`() throws {
    try write(Data())
    expect(.notAnLMDBFile, at: scratch.path)
    let environment = try scratch.open()
    #expect(try environment.read().treeNames() == [])
  }

  @Test(arguments: [1, 100, 4096, 100_000])
  func `of another program is an error`(byteCount: Int) throws {
    let foreign = Data("SQLite format 3\0".utf8) + Data(repeating: 0x5A, count: byteCount)
    try write(foreign)
    expect(.notAnLMDBFile, at: scratch.path)
    expect(.notAnLMDBFile, at: scratch.path, createIfMissing: true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == foreign)
  }

  @Test func `of another version is an error`() throws {
    do { try scratch.open().makeTree("a") }
    var file = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    // Page header of 16 bytes, magic of 4, then the version, on both header pages.
    file[20] = 99
    file[4096 + 20] = 99
    try write(file)
    expect(.versionMismatch, at: scratch.path)
  }

  @Test func `that was cut off is an error`() throws {
    do {
      let environment = try scratch.open()
      try environment.writeSync { transaction in
        let tree = try transaction.makeTree(named: "a")
        for number in 0..<1000 { try transaction.put("\(number)", "value", in: tree) }
      }
    }
    let file = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    try write(file.prefix(4096 * 3))
    #expect { try scratch.open() } throws: {
      if case LMDBError.damagedPage(_, .missing) = $0 { true } else { false }
    }
    try write(file.prefix(4096))
    expect(.notAnLMDBFile, at: scratch.path)
    try write(file)
    let environment = try scratch.open()
    #expect(try environment.read().treeNames() == ["a"])
  }

  @Test(.enabled(if: getuid() != 0)) func `that may not be read is an error`() throws {
    do { try scratch.open().makeTree("a") }
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: scratch.path)
    expect(.permissionDenied, at: scratch.path)
  }

  @Test func `takes the size asked for, and less when the system refuses it`() throws {
    let first = try scratch.open()
    #expect(first.options.byteCountMax == scratch.options.byteCountMax)
    #expect(first.mapByteCount > 2 * (1 << 28))
    let other = try ScratchEnvironment(byteCountMax: 1 << 50)
    let environment = try other.open()
    let granted = try #require(environment.options.byteCountMax)
    #expect(granted < 1 << 50)
    #expect(granted >= EnvironmentOptions.byteCountMaxMin)
    #expect(try environment.statistics().mapSizeBytes == environment.mapByteCount)
  }

  @Test func `describes each error with the next step`() {
    let errors: [LMDBError] = [
      .noSuchFile, .permissionDenied, .notAnLMDBFile, .versionMismatch,
      .unsupportedFileSystem(name: "nfs4"), .alreadyOpen(durability: .full), .forked,
      .busy(processID: 7), .busy(processID: nil),
      .fileReplaced(path: "/store"), .mediumChanged(path: "/store"), .mapFull,
      .writtenByAnother(path: "/store"), .foreignLockFile(path: "/store-lock"),
      .diskFull, .reserveTooSmall(fittingPermille: 500), .readersFull, .transactionFull,
      .treesFull, .outOfMemory,
      .badValueSize, .badTransaction, .badTree, .incompatibleTree, .mapResized, .badReaderSlot,
      .corrupted, .pageNotFound, .panic, .io(errno: EIO), .other(code: -30_700),
    ]
    for error in errors {
      #expect(error.description.hasSuffix("."))
      #expect(error.description.split(separator: " ").count > 7, "\(error)")
    }
  }

  @Test(arguments: [
    (EIO, LMDBError.io(errno: EIO)), (ENOSPC, .diskFull), (ENOENT, .noSuchFile),
    (EACCES, .permissionDenied), (ENOMEM, .outOfMemory), (-30_792, .mapFull), (-30_795, .panic),
    (-30_700, .other(code: -30_700)),
  ])
  func `knows the codes of the system and of liblmdb`(code: Int32, error: LMDBError) {
    #expect(LMDBError(code: code) == error)
  }
}
