// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `An environment that was opened for reading` {
  private let scratch: ScratchEnvironment
  private let options: EnvironmentOptions

  init() throws {
    scratch = try ScratchEnvironment()
    options = Self.options
    try scratch.open().makeTree("a", ["k": "v"])
  }

  static var options: EnvironmentOptions {
    var options = EnvironmentOptions()
    options.byteCountMax = 1 << 28
    options.isForReading = true
    return options
  }

  @Test func `is that of a writer too, if the file can be written to`() throws {
    let reading = try Environment.open(at: scratch.path, options: options)
    #expect(reading.isWritable)
    let writing = try scratch.open()
    #expect(reading === writing)
    try writing.makeTree("b")
    #expect(try reading.read().treeNames() == ["a", "b"])
  }

  @Test func `gets its durability from the first user that writes`() throws {
    let reading = try Environment.open(at: scratch.path, options: options)
    let writing = try scratch.open()
    var flags: UInt32 = 0
    mdb_env_get_flags(reading.raw, &flags)
    #expect(flags & UInt32(MDB_NOSYNC) != 0, "the writer asked for no durability")
    var durable = scratch.options
    durable.durability = .full
    #expect(throws: LMDBError.alreadyOpen(durability: .none)) {
      try Environment.open(at: scratch.path, options: durable)
    }
    #expect(try Environment.open(at: scratch.path, options: options) === writing)
  }
}

#if os(Linux)
  @Suite struct `A file that may be read and not written` {
    @Test func `is opened for readers, and refused to writers`() async throws {
      await #expect(processExitsWith: .success) {
        let scratch = try ScratchEnvironment()
        try scratch.open().makeTree("a", ["k": "v"])
        chmod(scratch.path, 0o444)
        chmod(scratch.path + "-lock", 0o666)
        try giveUpRootsRights()
        #expect(throws: LMDBError.permissionDenied) { try scratch.open() }
        let reading = try Environment.open(
          at: scratch.path, options: `An environment that was opened for reading`.options)
        #expect(!reading.isWritable)
        let tree = try #require(try reading.tree(named: "a"))
        #expect(try reading.read().text("k", in: tree) == "v")
        #expect(throws: LMDBError.permissionDenied) { try scratch.open() }
        #expect(throws: LMDBError.permissionDenied) { try reading.makeTree("b") }
      }
    }

    @Test func `is refused to readers as well if its lock file may not be written`() async throws {
      await #expect(processExitsWith: .success) {
        let scratch = try ScratchEnvironment()
        try scratch.open().makeTree("a")
        chmod(scratch.path + "-lock", 0o444)
        try giveUpRootsRights()
        let error = #expect(throws: LMDBError.permissionDenied) {
          try Environment.open(
            at: scratch.path, options: `An environment that was opened for reading`.options)
        }
        #expect(try #require(error).description.contains("A reader writes to the lock file"))
      }
    }
  }

  @Suite(.enabled(if: PrivateMounts.arePossible, "file systems cannot be mounted here"))
  struct `A file on a read-only medium` {
    @Test func `is read without a lock file`() async throws {
      await #expect(processExitsWith: .success) {
        let scratch = try ScratchEnvironment()
        let folder = scratch.directory.url.path
        let mounts = try PrivateMounts()
        try mounts.mountMemory(at: folder)
        try scratch.open().makeTree("a", ["k": "v"])
        unlink(scratch.path + "-lock")
        try mounts.makeReadOnly(folder)

        let reading = try Environment.open(
          at: scratch.path, options: `An environment that was opened for reading`.options)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store"])
        let tree = try #require(try reading.tree(named: "a"))
        let transaction = try reading.read()
        for _ in 0..<300 {
          try transaction.renew()
          #expect(try transaction.text("k", in: tree) == "v")
        }
        #expect(reading.oldestReader == nil, "there is no table of readers")
        #expect(!reading.isShared && reading.watchOthers {} == nil)
        reading.tellOthers()
        #expect(reading.clearDeadReaders() == 0)

        let copy = try ScratchEnvironment()
        for compacting in [false, true] {
          let file = open(copy.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
          try reading.copy(toDescriptor: file, compacting: compacting)
          close(file)
          let copied = try copy.open()
          let tree = try #require(try copied.tree(named: "a"))
          #expect(try copied.read().text("k", in: tree) == "v")
        }
        #expect(throws: LMDBError.permissionDenied) { try scratch.open() }
        #expect(throws: LMDBError.permissionDenied) { try reading.makeTree("b") }
      }
    }

    @Test func `is checked as a whole without a lock file`() async throws {
      await #expect(processExitsWith: .success) {
        let scratch = try ScratchEnvironment()
        let folder = scratch.directory.url.path
        let mounts = try PrivateMounts()
        try mounts.mountMemory(at: folder)
        try scratch.open().makeTree("a", ["k": "a value that was saved"])
        unlink(scratch.path + "-lock")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
        while let found = bytes.range(of: Data("a value that was saved".utf8)) {
          bytes[found.lowerBound] ^= 1
        }
        let damaged = scratch.directory.file("damaged")
        try bytes.write(to: damaged)
        try mounts.makeReadOnly(folder)

        #expect(try OpeningCheck.flaw(ofFileAt: scratch.path) == nil)
        let flaw = LMDBError.damagedPage(number: 0, .seal)
        #expect(try OpeningCheck.flaw(ofFileAt: damaged.path) == flaw)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == ["damaged", "store"])
      }
    }

    @Test func `is read by a user whose lock file it is not`() async throws {
      await #expect(processExitsWith: .success) {
        let (scratch, shown) = (try ScratchEnvironment(), try TemporaryDirectory())
        try scratch.open().makeTree("a", ["k": "v"])
        chmod(scratch.path, 0o644)
        let mounts = try PrivateMounts()
        try mounts.show(scratch.directory.url.path, readOnlyAt: shown.url.path)
        try giveUpRootsRights()
        let reading = try Environment.open(
          at: shown.file("store").path,
          options: `An environment that was opened for reading`.options)
        #expect(!reading.isWritable)
        #expect(try reading.read().treeNames() == ["a"])
      }
    }

    @Test func `is no longer read when it was written to through another mount`() async throws {
      await #expect(processExitsWith: .success) {
        let (scratch, shown) = (try ScratchEnvironment(), try TemporaryDirectory())
        try scratch.open().makeTree("a", ["k": "v"])
        chmod(scratch.path, 0o644)
        let mounts = try PrivateMounts()
        try mounts.show(scratch.directory.url.path, readOnlyAt: shown.url.path)
        let path = shown.file("store").path
        let reading = try Environment.open(
          at: path, options: `An environment that was opened for reading`.options)
        let transaction = try reading.read()
        try writeAsAnotherProgram(to: scratch.path)
        #expect(throws: LMDBError.mediumChanged(path: reading.path)) { try transaction.renew() }
        #expect(throws: LMDBError.mediumChanged(path: reading.path)) { _ = try reading.read() }
      }
    }
  }

  /// Commits with liblmdb alone: the environments of this process have the file open already.
  private func writeAsAnotherProgram(to path: String) throws {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    mdb_env_create(&environment)
    defer { mdb_env_close(environment) }
    mdb_env_set_maxdbs(environment, 4)
    var handle: MDB_dbi = 0
    for code in [
      mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o644),
      mdb_txn_begin(environment, nil, 0, &transaction),
      mdb_dbi_open(transaction, "b", UInt32(MDB_CREATE), &handle),
      mdb_txn_commit(transaction),
    ] where code != 0 { throw LMDBError(code: code) }
  }
#endif
