// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

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
