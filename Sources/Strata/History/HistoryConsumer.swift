// SPDX-License-Identifier: Apache-2.0
import StrataRecord
public import StrataStore

/// A part of a program that follows a store's history, such as a sync or a search index. The store
/// keeps the position that it has reached, so that it goes on there after the program ends.
///
/// Fetch, deal with the transactions, then advance. If the program ends in between, they are
/// fetched again.
public struct HistoryConsumer: Sendable {
  /// The name under which the store keeps the consumer's position.
  public let name: String
  private let coordinator: PersistentStoreCoordinator

  init(name: String, coordinator: PersistentStoreCoordinator) {
    self.name = name
    self.coordinator = coordinator
  }

  /// The token that the consumer has reached; nil if it was removed, or if the store keeps no
  /// history.
  ///
  /// - Throws: `StoreError`.
  public func position() throws -> HistoryToken? {
    try coordinator.historyStatus()?.consumers[name]
  }

  /// The transactions after the consumer's position, oldest first.
  ///
  /// - Parameter limit: the number of transactions, at most.
  /// - Throws: `StoreError.historyNotKept`; `.historyTooOld` if the consumer has fallen behind the
  ///   retention: read all objects again, and advance to `historyStatus()`'s newest token;
  ///   `.unknownConsumer` if it was removed; other `StoreError`.
  public func transactions(limit: Int = 1_024) throws -> [HistoryTransaction] {
    guard let status = try coordinator.historyStatus() else { throw StoreError.historyNotKept }
    guard let position = status.consumers[name] else { throw StoreError.unknownConsumer(name) }
    return try coordinator.fetchHistory(HistoryRequest(after: position, limit: limit))
  }

  /// Records in the store that the consumer has processed all transactions up to `token`, and waits
  /// for the disk.
  ///
  /// A position never goes back: if the consumer has reached `token` or a later one, nothing
  /// changes. So two processes may work for one consumer, and tell in any order. To begin at the
  /// oldest transaction again, `remove()` the consumer, and add it with `historyConsumer(named:)`.
  ///
  /// - Throws: `StoreError.historyNotKept`; `.foreignHistoryToken` if the token is of another store
  ///   or of a commit that this file does not have; `.historyTooOld` if transactions after the
  ///   token were deleted: read all objects again, and advance to `historyStatus()`'s newest token;
  ///   other `StoreError`. The position is as before then.
  public func advance(to token: HistoryToken) async throws {
    try await coordinator.store.edit(.advanceConsumer(name, to: token))
  }

  /// Removes the consumer from the store. Advancing it adds it again.
  ///
  /// - Throws: `StoreError`.
  public func remove() async throws { try await coordinator.store.edit(.removeConsumer(name)) }
}
