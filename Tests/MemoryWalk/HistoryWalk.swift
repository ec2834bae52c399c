// SPDX-License-Identifier: Apache-2.0
import Strata

/// Work with a history of a million changes and more. Each kind is run in a process of its own.
enum HistoryWalk: String {
  /// Inserts a million people in one transaction, then changes 100 times 1,000 of them. A consumer
  /// has seen nothing of it.
  case record
  /// The consumer catches up.
  case behind
  /// Deletes all people in one batch. Each leaves its name.
  case delete

  private static let consumerName = "index"

  /// - Returns: how many changes were made or read.
  @MainActor func run(_ coordinator: PersistentStoreCoordinator) async throws -> Int {
    switch self {
    case .record: try await Self.record(coordinator)
    case .behind: try await Self.catchUp(coordinator)
    case .delete: try await coordinator.execute(BatchDeleteRequest(Person.all)).deletedCount
    }
  }

  @MainActor private static func record(
    _ coordinator: PersistentStoreCoordinator
  ) async throws -> Int {
    try await coordinator.keepHistory()
    _ = try await coordinator.historyConsumer(named: consumerName)
    try insert(personCount, into: coordinator)
    let context = ManagedObjectContext(parent: coordinator)
    for round in 0..<100 {
      for person in try context.fetch(Person.all.offset(round * 1_000).limit(1_000)) {
        person.age += 1
      }
      try context.save()
      context.reset()
    }
    return townCount + personCount + 100 * 1_000
  }

  @MainActor private static func catchUp(
    _ coordinator: PersistentStoreCoordinator
  ) async throws -> Int {
    let consumer = try await coordinator.historyConsumer(named: consumerName)
    var count = 0
    while case let transactions = try consumer.transactions(), let last = transactions.last {
      for transaction in transactions {
        for change in transaction.changes {
          if change.kind == .delete, change.tombstone["name"] == nil { fatalError("no name") }
          count += 1
          if count % 10_000 == 0 { meter.sample() }
        }
      }
      try await consumer.advance(to: last.token)
    }
    return count
  }
}
