// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataLMDB
import StrataTestSupport
import Synchronization
import Testing

/// The messages about one store.
private final class Messages: Sendable {
  private let path: String
  private let heard = Mutex<[StrataLog.Message]>([])

  /// - Parameter path: the file of the store. Other tests of the process may log too.
  init(about path: String) { self.path = path }

  var handler: StrataLog.Handler {
    { [self] message in
      guard message.metadata["store"]?.hasSuffix(path) == true else { return }
      heard.withLock { $0.append(message) }
    }
  }

  /// The messages about all that has happened so far.
  var all: [StrataLog.Message] {
    StrataLog.flush()
    return heard.withLock { $0 }
  }
}

extension PersistentContainer {
  /// Saves a city again and again.
  fileprivate func saveCities(_ count: Int) throws {
    for number in 0..<count {
      try root.performAndWait { context in
        context.city("secret \(number)")
        try context.save()
      }
    }
  }
}

/// Has the store's readers watched by a clock that the test sets.
private func watchReaders(ofStoreAt url: URL, lag: Int? = nil) throws -> SetClock {
  var options = EnvironmentOptions()
  options.isForReading = true
  var limits = ReaderWatch.Limits()
  if let lag { limits.commitLag = lag }
  let clock = SetClock()
  try Environment.open(at: url.path, options: options).readers.reset(limits: limits) { clock.now }
  return clock
}

@Suite(.serialized) struct `A snapshot that is held while others save` {
  private let folder: TemporaryDirectory
  private let container: PersistentContainer
  private var url: URL { folder.file("geography.strata") }

  init() throws {
    folder = try TemporaryDirectory()
    // No page is free again while a snapshot is held.
    container = try PersistentContainer(
      at: folder.file("geography.strata"), model: geographyModel(), durability: .none,
      maximumByteCount: 1 << 30)
    // The first insertion reserves serials, which is a commit more.
    try container.saveCities(1)
  }

  /// Runs `body` with the messages about the store.
  private func hearing(_ body: (Messages) throws -> Void) throws {
    let messages = Messages(about: url.path)
    let former = StrataLog.handler
    StrataLog.handler = messages.handler
    defer { StrataLog.handler = former }
    try body(messages)
  }

  @Test func `is warned of once, after 1,000 commits and a minute`() throws {
    let clock = try watchReaders(ofStoreAt: url)
    try hearing { messages in
      let reader = ManagedObjectContext(parent: container.coordinator)
      reader.name = "report"
      try reader.setQueryGeneration(from: .current)
      try container.saveCities(999)
      clock.set(100)
      try container.saveCities(1)
      #expect(messages.all.count == 1)
      let message = try #require(messages.all.first)
      #expect(message.level == .warning)
      #expect(
        message.metadata.filter { $0.key != "store" }
          == ["process": "\(getpid())", "commits": "1000", "seconds": "100", "holder": "report"])
      #expect(message.text.contains("at least 100 seconds and 1000 commits"))
      #expect(!"\(message)".contains("secret"), "a value of the store")
      clock.set(1_000)
      try container.saveCities(1_001)
      #expect(messages.all.count == 1)
      #expect(try reader.count(City.all) == 1)
    }
  }

  @Test func `is not warned of if it moves on`() throws {
    let clock = try watchReaders(ofStoreAt: url, lag: 20)
    try hearing { messages in
      let reader = ManagedObjectContext(parent: container.coordinator)
      for round in 1...20 {
        try reader.setQueryGeneration(from: .current)
        try container.saveCities(10)
        clock.set(round * 100)
      }
      #expect(messages.all == [])
    }
  }

  @Test func `is warned of in a handler that saves to the same store`() throws {
    let clock = try watchReaders(ofStoreAt: url, lag: 5)
    let reader = ManagedObjectContext(parent: container.coordinator)
    try reader.setQueryGeneration(from: .current)
    let former = StrataLog.handler
    StrataLog.handler = { [container, path = url.path] message in
      guard message.metadata["store"]?.hasSuffix(path) == true else { return }
      try? container.root.performAndWait { context in
        context.city("warned")
        try context.save()
      }
    }
    defer { StrataLog.handler = former }
    try container.saveCities(6)
    clock.set(100)
    try container.saveCities(1)
    StrataLog.flush()
    let names = try container.root.performAndWait { try $0.cityNames() }
    #expect(names.contains("warned"))
    withExtendedLifetime(reader) {}
  }

  @Test func `is told by the coordinator, with its holder and age`() throws {
    let clock = try watchReaders(ofStoreAt: url)
    let reader = ManagedObjectContext(parent: container.coordinator)
    reader.name = "report"
    try reader.setQueryGeneration(from: .current)
    try container.saveCities(2)
    clock.set(30)
    let oldest = try #require(try container.coordinator.oldestReader())
    #expect(oldest.processID == getpid() && oldest.commitLag == 2)
    #expect(oldest.age == .seconds(30) && oldest.holder == "report")
    let token = reader.queryGenerationToken
    try reader.setQueryGeneration(from: nil)
    #expect(try container.coordinator.oldestReader()?.holder == "report", "the token holds it")
    withExtendedLifetime(token) {}
  }

  @Test func `is warned of on the standard error stream, unless a program decides otherwise`()
    async throws
  {
    func warningCount(isSilent: Bool) async -> Int {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) { [isSilent = isSilent as Bool] in
        let folder = try TemporaryDirectory()
        let container = try geography(in: folder)
        let clock = try watchReaders(ofStoreAt: folder.file("geography.strata"), lag: 5)
        if isSilent { StrataLog.handler = nil }
        let reader = ManagedObjectContext(parent: container.coordinator)
        try reader.setQueryGeneration(from: .current)
        clock.set(100)
        try container.saveCities(1)
        clock.set(300)
        try container.saveCities(20)
        withExtendedLifetime(reader) {}
        // The process exits at once, and the message is not lost.
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      return text.split(separator: "\n").count { $0.hasPrefix("Strata warning: A reader") }
    }
    #expect(await warningCount(isSilent: true) == 0)
    // The message has a second at the exit, which a busy machine may need for others.
    var (count, tries) = (0, 0)
    while count == 0, tries < 20 {
      count = await warningCount(isSilent: false)
      tries += 1
    }
    #expect(count == 1)
  }
}

@Suite struct `A log message` {
  @Test func `is one line with level, text and sorted metadata`() {
    let message = StrataLog.Message(.error, "It failed.", metadata: ["b": "2", "a": "1"])
    #expect(message.description == "Strata error: It failed. (a=1, b=2)")
    #expect(StrataLog.Message(.info, "Well.").description == "Strata info: Well.")
  }

  @Test func `is lost without harm if the standard error stream is closed`() async {
    await #expect(processExitsWith: .success) {
      close(2)
      StrataLog.standardError(StrataLog.Message(.error, "It failed."))
    }
  }

  @Test func `has levels from the least to the most important`() {
    #expect(StrataLog.Level.allCases == StrataLog.Level.allCases.sorted())
    #expect(StrataLog.Level.debug < .warning && !(StrataLog.Level.critical < .error))
  }
}
