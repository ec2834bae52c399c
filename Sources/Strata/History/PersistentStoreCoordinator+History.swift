// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
public import StrataStore

// The history of a store: which objects each commit has inserted, updated and deleted.

extension PersistentStoreCoordinator {
  // MARK: - Keeping

  /// Has the store keep a history from now on, whichever program commits to it; changes the
  /// retention if it keeps one already. Core Data: `NSPersistentHistoryTrackingKey`.
  ///
  /// The store keeps it until `stopHistory`, also when other programs open it.
  ///
  /// - Throws: `StoreError`, with nothing changed.
  public func keepHistory(_ retention: HistoryRetention = HistoryRetention()) async throws {
    try await store.edit(.keep(retention))
  }

  /// Deletes the history, and keeps none from now on. Consumers stay: those that go on after
  /// another `keepHistory` get `StoreError.historyTooOld`.
  ///
  /// - Throws: `StoreError`, with nothing changed.
  public func stopHistory() async throws { try await store.edit(.stop) }

  /// Deletes all transactions up to and including the one of `token`, whatever the retention says.
  /// Core Data: `deleteHistory(before:)`.
  ///
  /// - Throws: `StoreError.historyNotKept`; `.foreignHistoryToken` if the token is of another store
  ///   or of a commit that this file does not have; other `StoreError`. Nothing is changed then.
  /// - Complexity: O(deleted transactions · log kept ones).
  public func deleteHistory(through token: HistoryToken) async throws {
    try await store.edit(.delete(through: token))
  }

  /// The limits, the size and the consumers of the history; nil if the store keeps none.
  ///
  /// - Throws: `StoreError`.
  public func historyStatus() throws -> HistoryStatus? { try store.historyStatus() }

  /// The point after the newest save that the store has now, from whichever process. The store need
  /// not keep a history: without one, the token identifies a save only by its number.
  /// Core Data: `currentPersistentHistoryToken(fromStores:)`.
  ///
  /// ```swift
  /// try await container.root.save()
  /// let token = try container.coordinator.currentHistoryToken()  // this save, or a later one
  /// ```
  ///
  /// - Throws: `StoreError.severalStores` if the coordinator has several stores: ask the
  ///   coordinator of one of them (`coordinator(for:)`). Other `StoreError` if reading fails.
  public func currentHistoryToken() throws -> HistoryToken {
    guard store.members.count == 1 else { throw StoreError.severalStores }
    return store.historyToken(of: try store.snapshot().generation(ofStoreAt: 0))
  }

  // MARK: - Fetching

  /// The transactions that a request asks for, oldest first.
  ///
  /// All are in memory at once, with a few bytes for each change;
  /// `forEachHistoryTransaction(of:_:)` holds a few at a time.
  ///
  /// - Throws: `StoreError.historyNotKept`; `.historyTooOld` if transactions after the request's
  ///   token were deleted; `.foreignHistoryToken` if the token is of another store or of a commit
  ///   that this file does not have, as after a backup was restored; `.damaged`;
  ///   `ContextError.unknownEntity`.
  /// - Complexity: O(transactions after the token), whatever the other conditions are.
  public func fetchHistory(_ request: HistoryRequest) throws -> [HistoryTransaction] {
    var found: [HistoryTransaction] = []
    try forEachHistoryTransaction(of: request) { found.append($0) }
    return found
  }

  /// Calls `body` for each transaction that a request asks for, oldest first, up to those that are
  /// committed in the meantime.
  ///
  /// Transactions are read in pages of at most 1,024 transactions or about 1 MiB, each in a
  /// snapshot of its own. So nothing is held while `body` runs, which may save.
  ///
  /// - Throws: as `fetchHistory(_:)`, also in the middle if transactions that were not reached are
  ///   deleted; the errors of `body`.
  public func forEachHistoryTransaction(
    of request: HistoryRequest, _ body: (HistoryTransaction) throws -> Void
  ) throws {
    let families = try families(of: request)
    var rest = request.limit ?? .max
    var token = request.token
    while rest > 0 {
      let page = try store.history(after: token, countMax: 1_024, byteCountMax: 1 << 20)
      guard let last = page.last else { return }
      token = last.token
      for stored in page where rest > 0 && stored.fits(request) {
        let transaction = HistoryTransaction(stored, schema, families)
        if families != nil, transaction.changes.first(where: { _ in true }) == nil { continue }
        try body(transaction)
        rest -= 1
      }
    }
  }

  private func families(of request: HistoryRequest) throws -> Set<EntityNumber>? {
    guard let entities = request.entities else { return nil }
    var families: Set<EntityNumber> = []
    for type in entities {
      guard let entity = schema.entity(for: type) else {
        throw ContextError.unknownEntity(type.entity.name)
      }
      families.formUnion(entity.family)
    }
    return families
  }

  // MARK: - Consumers

  /// A consumer of the history, whose position the store keeps under `name`. The store adds it at
  /// the oldest kept transaction, unless it has one of that name.
  ///
  /// - Parameter name: 1 to 255 bytes in NFC and UTF-8. Names that are equal as strings name one
  ///   consumer.
  /// - Throws: `StoreError.historyNotKept`, `.invalidConsumerName`; other `StoreError`.
  public func historyConsumer(named name: String) async throws -> HistoryConsumer {
    // Swift compares strings by canonical equivalence, and the file compares bytes.
    let name = name.precomposedStringWithCanonicalMapping
    guard 1...255 ~= name.utf8.count else { throw StoreError.invalidConsumerName(name) }
    try await store.edit(.addConsumer(name))
    return HistoryConsumer(name: name, coordinator: self)
  }
}

extension StoredHistoryTransaction {
  /// Whether the conditions that need no change hold.
  fileprivate func fits(_ request: HistoryRequest) -> Bool {
    if let earliestDate = request.earliestDate, date < earliestDate { return false }
    guard let authors = request.authors else { return true }
    return author.map(authors.contains) ?? false
  }
}
