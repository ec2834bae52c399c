// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataStore
import Testing

@Suite struct `Eight threads that save with a history` {
  private static let saveCount = 50

  @Test func `leave it gapless, each object once and in the order of its saver`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    let saved = try await withThrowingTaskGroup(of: (String, [ObjectID]).self) { group in
      for number in 0..<8 {
        group.addTask {
          let author = "\(number)"
          let ids = try (0..<Self.saveCount).map {
            try container.saveCity("\($0)", author: author)
          }
          return (author, ids)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let transactions = try container.transactions()
    #expect(transactions.map(\.token.generation) == Array(1...UInt64(8 * Self.saveCount)))
    var told: [String: [ObjectID]] = [:]
    for transaction in transactions {
      told[transaction.author ?? "", default: []] += transaction.changes.map(\.objectID)
    }
    #expect(told == saved)
  }
}
