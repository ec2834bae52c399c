// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A reader of an old state` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree
  private let clock = SetClock()

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a")
    var limits = ReaderWatch.Limits()
    limits.commitLag = 10
    environment.readers.reset(limits: limits, clock: { [clock] in clock.now })
  }

  private func commit(_ count: Int = 1) throws {
    for number in 0..<count {
      try environment.writeSync { [tree] in try $0.put("k", "\(number)", in: tree) }
    }
  }

  /// Commits one by one until a reader is reported.
  private func commitsUntilReport(_ countMax: Int = 100) throws -> Int? {
    for count in 1...countMax {
      try commit()
      if environment.lateReader != nil { return count }
    }
    return nil
  }

  @Test func `is described by its process, its lag and its age`() throws {
    let transaction = try environment.read()
    #expect(environment.oldestReader?.commitLag == 0)
    clock.set(10)
    #expect(environment.oldestReader?.age == .zero, "it is the newest state")
    try commit()
    clock.set(40)
    try commit(2)
    clock.set(70)
    let oldest = try #require(environment.oldestReader)
    #expect(oldest.processID == getpid() && oldest.commit == transaction.transactionID)
    #expect(oldest.commitLag == 3 && oldest.age == .seconds(60) && oldest.holder == nil)
    transaction.end()
    #expect(environment.oldestReader == nil)
  }

  @Test func `has the name of its holder, as long as it is held`() throws {
    let (first, second) = (try environment.read(), try environment.read())
    try commit()
    let third = try environment.read()
    var names: [SnapshotHolder]? = [third.noteHolder("other"), second.noteHolder("report")]
    #expect(environment.oldestReader?.holder == "report")
    withExtendedLifetime((first, names)) {}
    names = nil
    #expect(environment.oldestReader?.holder == nil)
    #expect(environment.oldestReader?.commit == second.transactionID)
  }

  @Test func `of another process has no holder`() async throws {
    let name = try environment.read().noteHolder("report")
    await #expect(processExitsWith: .success) { [path = scratch.path as String] in
      var options = EnvironmentOptions()
      options.byteCountMax = 1 << 28
      options.durability = .none
      let transaction = try Environment.open(at: path, options: options).read()
      withExtendedLifetime(transaction) { _exit(0) }
    }
    clock.set(5)
    try commit()
    clock.set(9)
    let oldest = try #require(environment.oldestReader)
    #expect(oldest.processID != getpid() && oldest.holder == nil)
    #expect(oldest.commitLag == 1 && oldest.age == .seconds(4))
    withExtendedLifetime(name) {}
  }

  @Test func `is reported once, when it is behind and old enough`() throws {
    let transaction = try environment.read()
    #expect(try commitsUntilReport() == nil, "it is not old enough")
    clock.set(59)
    #expect(try commitsUntilReport() == nil)
    clock.set(61)
    try commit()
    let late = try #require(environment.lateReader)
    #expect(late.commit == transaction.transactionID && late.age == .seconds(61))
    clock.set(1_000)
    #expect(try commitsUntilReport() == nil, "it was reported")
    // The next state that is held is another reader.
    try transaction.renew()
    #expect(try commitsUntilReport() == nil)
    clock.set(2_000)
    #expect(try commitsUntilReport() != nil)
    withExtendedLifetime(transaction) {}
  }

  @Test func `is not looked for before enough commits are made`() throws {
    try commit()
    #expect(environment.lateReader == nil)
    let transaction = try environment.read()
    try commit(5)
    // There was no reader at the last look, so it takes 10 commits to make a late one.
    clock.set(100)
    #expect(environment.lateReader == nil)
    try commit(5)
    clock.set(200)
    #expect(environment.lateReader?.commitLag == 10)
    withExtendedLifetime(transaction) {}
  }

  @Test func `is not reported while it is few commits behind, however old it is`() throws {
    let transaction = try environment.read()
    try commit()
    clock.set(1_000)
    #expect(environment.lateReader == nil)
    try commit(9)
    clock.set(2_000)
    #expect(environment.lateReader?.commitLag == 10)
    withExtendedLifetime(transaction) {}
  }

  @Test func `is looked for once in a second at most`() throws {
    var limits = ReaderWatch.Limits()
    (limits.commitLag, limits.age) = (10, .zero)
    environment.readers.reset(limits: limits) { [clock] in clock.now }
    let transaction = try environment.read()
    try commit()
    #expect(environment.lateReader == nil, "it is one commit behind")
    try commit(9)
    #expect(environment.lateReader == nil, "it was looked for in this second")
    clock.set(1)
    #expect(environment.lateReader?.commitLag == 10)
    withExtendedLifetime(transaction) {}
  }
}
