// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `One file, opened more than once` {
  private let scratch: ScratchEnvironment

  init() throws { scratch = try ScratchEnvironment() }

  @Test func `is one environment by the same path`() throws {
    let first = try scratch.open()
    #expect(try scratch.open() === first)
  }

  @Test func `is one environment by a symbolic link, and shares its lock file`() throws {
    let link = scratch.directory.file("link").path
    do {
      let first = try scratch.open()
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: scratch.path)
      #expect(try Environment.open(at: link, options: scratch.options) === first)
    }
    let byLink = try Environment.open(at: link, options: scratch.options)
    #expect(try scratch.open() === byLink)
    #expect(!FileManager.default.fileExists(atPath: link + "-lock"))
  }

  @Test func `is one environment by a hard link`() throws {
    let first = try scratch.open()
    let link = scratch.directory.file("link").path
    try FileManager.default.linkItem(atPath: scratch.path, toPath: link)
    #expect(try Environment.open(at: link, options: scratch.options) === first)
  }

  @Test func `must ask for the same durability`() throws {
    let first = try scratch.open()
    var options = scratch.options
    options.durability = .full
    #expect(throws: LMDBError.alreadyOpen(durability: .none)) {
      try Environment.open(at: scratch.path, options: options)
    }
    withExtendedLifetime(first) {}
  }

  @Test func `has its own options, though a transient environment had the file open`() throws {
    try scratch.open().makeTree("a")
    var options = scratch.options
    options.isTransient = true
    options.durability = .full
    let (path, own) = (scratch.path, scratch.options)
    let isHeld = DispatchSemaphore(value: 0)
    let isReleased = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [options] in
      var environment = try? Environment.open(at: path, options: options)
      isHeld.signal()
      // The other opening begins in the meantime, or later: both must succeed.
      for _ in 0..<100 { _ = try? environment?.read() }
      environment = nil
      isReleased.signal()
    }
    isHeld.wait()
    let environment = try Environment.open(at: path, options: own)
    isReleased.wait()
    #expect(environment.options.durability == .none)
    #expect(!environment.options.isTransient)
  }

  @Test func `is one environment for transient uses beside others`() throws {
    let first = try scratch.open()
    var options = scratch.options
    options.isTransient = true
    #expect(try Environment.open(at: scratch.path, options: options) === first)
  }

  @Test func `is another environment when another file took the path`() throws {
    let first = try scratch.open()
    try first.makeTree("first")
    let before = try first.read()
    try FileManager.default.moveItem(
      atPath: scratch.path, toPath: scratch.directory.file("moved").path)
    try FileManager.default.removeItem(atPath: scratch.path + "-lock")
    let second = try scratch.open()
    #expect(second !== first)
    #expect(try second.read().treeNames() == [])
    #expect(try before.treeNames() == ["first"])
  }

  @Test func `survives being opened and dropped by many threads`() async throws {
    try scratch.open().makeTree("a", ["k": "v"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { [path = scratch.path, options = scratch.options] in
          for number in 0..<50 {
            let environment = try Environment.open(at: path, options: options)
            let tree = try environment.tree(named: "a")
            let value = try environment.read().text("k", in: try #require(tree))
            #expect(value == "v")
            if number % 10 == 0 { _ = try environment.writeSync { $0.transactionID } }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

@Suite struct `An unlinked file` {
  @Test func `goes on as a store in memory until it is closed`() throws {
    let scratch = try ScratchEnvironment(keepsName: false)
    let environment = try scratch.open()
    try FileManager.default.removeItem(atPath: scratch.path)
    try FileManager.default.removeItem(atPath: scratch.path + "-lock")
    let tree = try environment.makeTree("a", ["k": "v"])
    #expect(try environment.read().text("k", in: tree) == "v")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory.url.path) == [])
  }

  @Test func `is not taken for a new file of the same path or number`() throws {
    let scratch = try ScratchEnvironment(keepsName: false)
    for number in 0..<20 {
      let environment = try scratch.open()
      #expect(try environment.read().treeNames() == [])
      try FileManager.default.removeItem(atPath: scratch.path)
      try FileManager.default.removeItem(atPath: scratch.path + "-lock")
      try environment.makeTree("\(number)")
      let other = try scratch.open()
      #expect(other !== environment)
      try FileManager.default.removeItem(atPath: scratch.path)
      try FileManager.default.removeItem(atPath: scratch.path + "-lock")
    }
  }
}
