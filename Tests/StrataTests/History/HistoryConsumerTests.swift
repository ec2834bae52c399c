// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

@Suite struct `A consumer of a history` {
  @Test func `goes on where it was, also after the store is opened again`() async throws {
    let folder = try TemporaryDirectory()
    let token: HistoryToken
    do {
      let container = try geography(in: folder)
      try await container.coordinator.keepHistory()
      try container.saveCity("A")
      let consumer = try await container.coordinator.historyConsumer(named: "índice")
      token = try #require(try consumer.transactions().first).token
      try await consumer.advance(to: token)
    }
    let container = try geography(in: folder)
    try container.saveCity("B")
    let consumer = try await container.coordinator.historyConsumer(named: "índice")
    #expect(try consumer.position() == token)
    #expect(try consumer.transactions().count == 1)
    try await consumer.remove()
    #expect(try consumer.position() == nil)
    #expect { try consumer.transactions() } throws: {
      if case StoreError.unknownConsumer("índice") = $0 { true } else { false }
    }
  }

  @Test func `is the same under each spelling of its name`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    try container.saveCity("A")
    let composed = try await container.coordinator.historyConsumer(named: "caf\u{E9}")
    let decomposed = try await container.coordinator.historyConsumer(named: "cafe\u{301}")
    try await decomposed.advance(to: try #require(try composed.transactions().first).token)
    #expect(try composed.transactions().isEmpty)
    #expect(try container.coordinator.historyStatus()?.consumers.count == 1)
    try await decomposed.remove()
    #expect(try composed.position() == nil)
  }

  @Test func `is told when it has fallen behind, not given a gap`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory()
    let consumer = try await coordinator.historyConsumer(named: "slow")
    for index in 0..<3 { try container.saveCity("\(index)") }
    try await coordinator.deleteHistory(through: try container.transactions()[0].token)
    #expect { try consumer.transactions() } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
    try await consumer.advance(to: try #require(try coordinator.historyStatus()).newestToken)
    try container.saveCity("3")
    #expect(try consumer.transactions().count == 1)
  }

  @Test func `is told when the retention has passed it`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 1_000))
    let consumer = try await coordinator.historyConsumer(named: "slow")
    for index in 0..<100 { try container.saveCity("\(index)") }
    #expect { try consumer.transactions() } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
  }

  @Test(arguments: ["", String(repeating: "é", count: 128)])
  func `has a name of a bounded length`(name: String) async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    await #expect {
      try await container.coordinator.historyConsumer(named: name)
    } throws: { if case StoreError.invalidConsumerName(name) = $0 { true } else { false } }
  }
}

@Suite struct `A consumer that advances` {
  private let container: PersistentContainer
  private let consumer: HistoryConsumer
  private let tokens: [HistoryToken]

  /// The consumer has reached the third of six transactions.
  init() async throws {
    container = try geography()
    try await container.coordinator.keepHistory()
    consumer = try await container.coordinator.historyConsumer(named: "index")
    for index in 0..<6 { try container.saveCity("\(index)") }
    tokens = try container.transactions().map(\.token)
    try await consumer.advance(to: tokens[2])
  }

  @Test func `stays where it is if it is told an earlier token`() async throws {
    for token in tokens.prefix(3) { try await consumer.advance(to: token) }
    #expect(try consumer.position() == tokens[2])
    // Also where the transactions have gone.
    try await container.coordinator.deleteHistory(through: tokens[1])
    try await consumer.advance(to: tokens[0])
    #expect(try consumer.position() == tokens[2])
  }

  @Test func `is told that transactions after the token are gone`() async throws {
    try await container.coordinator.deleteHistory(through: tokens[4])
    await #expect { try await consumer.advance(to: tokens[3]) } throws: { error in
      guard case StoreError.historyTooOld(tokens[4]) = error else { return false }
      return true
    }
    #expect { try consumer.transactions() } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
    try await consumer.advance(to: tokens[4])
    #expect(try consumer.transactions().map(\.token) == [tokens[5]])
  }

  @Test func `begins at the oldest again when it is removed and added`() async throws {
    try await consumer.remove()
    let other = try await container.coordinator.historyConsumer(named: "index")
    #expect(try other.transactions().map(\.token) == tokens)
  }
}
