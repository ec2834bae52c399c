// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `The retention of a history` {
  @Test func `lets the oldest go by size, and the newest stay`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 400))
    let start = try #require(try container.coordinator.historyStatus()).newestToken
    for index in 0..<200 { try container.saveCity("\(index)") }
    let status = try #require(try container.coordinator.historyStatus())
    #expect(status.byteCount <= 400)
    let kept = try container.transactions()
    #expect(kept.count > 1 && kept.last?.token == status.newestToken)
    #expect(try container.transactions(after: status.oldestToken).count == kept.count)
    #expect { try container.transactions(after: start) } throws: { error in
      guard case StoreError.historyTooOld(status.oldestToken) = error else { return false }
      return true
    }
    // However small it is, the last commit is there.
    try await container.coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 0))
    try container.saveCity("last")
    #expect(try container.transactions().last?.changes.map(\.kind) == [.insert])
  }

  @Test func `lets those of an age go`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory(HistoryRetention(maximumAge: .seconds(3_600)))
    for index in 0..<5 { try container.saveCity("\(index)") }
    #expect(try container.transactions().count == 5)
    try await container.coordinator.keepHistory(HistoryRetention(maximumAge: .zero))
    try container.saveCity("last")
    #expect(try container.transactions().count == 1)
  }

  @Test func `lets those go that all consumers have passed`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory(HistoryRetention(endsWhenConsumed: true))
    for index in 0..<6 { try container.saveCity("\(index)") }
    #expect(try container.transactions().count == 6)
    let (fast, slow) = (
      try await coordinator.historyConsumer(named: "fast"),
      try await coordinator.historyConsumer(named: "slow")
    )
    try await fast.advance(to: try #require(fast.transactions().last).token)
    try container.saveCity("6")
    #expect(try container.transactions().count == 7)
    try await slow.advance(to: try slow.transactions()[2].token)
    try container.saveCity("7")
    #expect(try container.transactions().count == 5)
    #expect(try slow.transactions().count == 5 && fast.transactions().count == 2)
  }

  @Test func `is passed over by a program that deletes what it has dealt with`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    for index in 0..<30 { try container.saveCity("\(index)") }
    let all = try container.transactions()
    try await container.coordinator.deleteHistory(through: all[9].token)
    #expect(try container.transactions().map(\.token) == all.dropFirst(10).map(\.token))
    try await container.coordinator.deleteHistory(through: all[29].token)
    let status = try #require(try container.coordinator.historyStatus())
    #expect(try container.transactions().isEmpty && status.byteCount == 0)
  }
}
