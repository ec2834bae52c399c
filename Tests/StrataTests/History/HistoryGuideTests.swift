// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// The code of the guide History.md, part by part.
@Suite struct `The history guide` {
  @Test func `keeps a history, reads it, and follows it with consumers`() async throws {
    let container = try geography()
    var token: HistoryToken?
    // begin keeping
    let coordinator = container.coordinator
    try await coordinator.keepHistory()
    // end
    #expect(try coordinator.historyStatus()?.retention == HistoryRetention())
    // begin retention
    try await coordinator.keepHistory(
      HistoryRetention(maximumAge: .seconds(30 * 24 * 3_600), maximumByteCount: 64 << 20))
    // end
    #expect(try coordinator.historyStatus()?.retention.maximumByteCount == 64 << 20)
    // begin author
    try await container.root.perform { context in
      context.transactionAuthor = "import"
      City(context: context).name = "Lavāsān"
      try context.save()
    }
    // end
    // begin fetching
    let transactions = try coordinator.fetchHistory(
      HistoryRequest(after: token, authors: ["import"], entities: [City.self]))
    for transaction in transactions {
      for change in transaction.changes(of: City.self) where change.updates(\City.name) {
        print(transaction.date, change.objectID, change.updatedProperties)
      }
    }
    token = transactions.last?.token ?? token
    // end
    #expect(token == (try coordinator.historyStatus()?.newestToken))
    // begin consumers
    let consumer = try await coordinator.historyConsumer(named: "search index")
    for transaction in try consumer.transactions(limit: 100) {
      for change in transaction.changes { print(change.objectID) }
      try await consumer.advance(to: transaction.token)
    }
    // end
    #expect(try consumer.position() == token)
    // begin preserving
    for change in transactions[0].changes where change.kind == .delete {
      print(change.objectID, change.tombstone["iso"] ?? .null)
    }
    // end
  }
}
