// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataStore
import Testing

@Suite struct `A transaction dated in the future` {
  /// Transactions 1 to `count` are dated a year ahead, and the others two hours ago.
  private func makeHistory(aheadCount count: UInt64) async throws -> Recorded {
    let recorded = try await Recorded()
    for _ in 0..<14 { try recorded.save() }
    for generation in 1...20 as ClosedRange<UInt64> {
      let offset: TimeInterval = generation <= count ? 365 * 24 * 3_600 : -2 * 3_600
      try recorded.file.setDate(Date(timeIntervalSinceNow: offset), of: generation)
    }
    return recorded
  }

  @Test(arguments: [1, 2, 3, 7, 17] as [UInt64])
  func `goes as soon as later ones are too old`(count: UInt64) async throws {
    let recorded = try await makeHistory(aheadCount: count)
    try await recorded.store.edit(.keep(HistoryRetention(maximumAge: .seconds(3_600))))
    for _ in 0..<3 { try recorded.save() }
    #expect(try recorded.history().map(\.generation) == [21, 22, 23])
  }

  @Test func `stays while later ones are young enough`() async throws {
    let recorded = try await makeHistory(aheadCount: 3)
    try await recorded.store.edit(.keep(HistoryRetention(maximumAge: .seconds(3 * 3_600))))
    for _ in 0..<3 { try recorded.save() }
    #expect(try recorded.history().count == 23)
  }

  @Test func `stays if it is the newest but one`() async throws {
    let recorded = try await makeHistory(aheadCount: 20)
    try await recorded.store.edit(.keep(HistoryRetention(maximumAge: .seconds(3_600))))
    try recorded.save()
    #expect(try recorded.history().count == 21)
  }
}
