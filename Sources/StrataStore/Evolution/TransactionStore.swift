// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
package import StrataRecord

/// A store within one write transaction. Contexts read and save in it, and other readers do not see
/// their saves before the transaction is committed. The code of a migration's stage uses one.
///
/// A save is checked, planned and written as in any store. Each save gets a generation of its own.
/// The file has the last of these generations once the transaction is committed.
///
/// ## Lifetime
/// As long as its transaction. A view is valid until the next save.
///
/// ## Isolation
/// The writer thread. A call on any other thread traps.
// Safety: each call checks the thread.
package final class TransactionStore: PersistentStore, @unchecked Sendable {
  package let schema: Schema
  package let uuid: UUID
  package var feeds: [ChangeFeed] { [feed] }
  private let feed = ChangeFeed()
  package let isReadOnly = false
  private let transaction: WriteTransaction
  private let queue: CommitQueue
  /// The generation of the last save in the transaction.
  private(set) var generation: UInt64
  private var history: HistoryWriter?
  private var serials: Range<UInt64> = 0..<0
  /// Why a save stopped in the middle of its writes. The transaction is not committed then.
  private var failure: (any Error)?
  /// How many objects were written in all saves.
  private(set) var counts = MigrationCounts()
  /// Called before each save.
  private let check: () throws -> Void

  /// - Parameters:
  ///   - queue: a queue with the transaction's environment and the schema of the new model.
  ///   - generation: the generation of the last save in the transaction.
  ///   - check: called before each save, and may throw.
  init(
    _ transaction: WriteTransaction, _ queue: CommitQueue, generation: UInt64,
    check: @escaping () throws -> Void
  ) throws {
    self.transaction = transaction
    self.queue = queue
    self.generation = generation
    self.check = check
    schema = queue.schema
    uuid = schema.store.uuid
    history = try HistoryWriter(in: transaction, schema)
  }

  private func requireWriter() {
    require(
      queue.environment.isOnWriterThread,
      "The code of a migration's stage uses its contexts on the thread on which it is called.")
  }

  package func snapshot() throws -> any Snapshot {
    requireWriter()
    return StoreView(transaction, queue.trees, schema, generation: generation)
  }

  package func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) {
    requireWriter()
    completion(
      Result {
        do { return try save(changeSet) } catch let error as LMDBError {
          throw StoreError(error)
        }
      })
  }

  private func save(_ changeSet: ChangeSet) throws -> CommitResult {
    if let failure { throw failure }
    try check()
    let plan = try SaveCheck.plan(changeSet, in: transaction, queue)
    if plan.isEmpty { return CommitResult(generation: generation) }
    do {
      return try write(plan, of: changeSet)
    } catch {
      failure = error
      throw error
    }
  }

  private func write(_ plan: SavePlan, of changeSet: ChangeSet) throws -> CommitResult {
    generation += 1
    if history != nil {
      var record = HistoryRecord(schema)
      try record.note(
        plan, in: StoreView(transaction, queue.trees, schema, generation: generation - 1))
      try history?.append(
        record, generation: generation, author: changeSet.author,
        contextName: changeSet.contextName)
    }
    try transaction.reserveSerials(of: plan)
    let writes = try PlanWriter.write(
      plan, in: transaction, queue.trees, generation: generation)
    counts.note(plan)
    for segment in changeSet.shown { segment.setTag(generation) }
    let event = ChangeEvent(
      committing: changeSet, generation: generation, keys: plan.changedKeys,
      decided: Array(plan.merged.keys))
    _ = feed.append(event)
    feed.tell(event)
    return CommitResult(
      generation: generation, merged: plan.merged, derived: plan.derived, writes: writes)
  }

  /// Writes the data that all saves share, such as the generation. It is the last call before the
  /// commit.
  ///
  /// - Throws: the error of a save that stopped in the middle; `StoreError`; `LMDBError`.
  func finish() throws {
    if let failure { throw failure }
    if let first = history, first.addedCount > 0 { try history?.finish(generation: generation) }
    try Catalog.setGeneration(generation, ofVersion: schema.version, in: transaction)
  }

  package func takeSerials(upTo countMax: Int) -> Range<UInt64> {
    requireWriter()
    if serials.isEmpty {
      let taken = try? transaction.freeSerials(1_024, queue.trees, queue.schema)
      if let taken, (try? Catalog.setFirstFreeSerial(taken.upperBound, in: transaction)) != nil {
        serials = taken
      } else {
        // The next save fails with the same error (I3 of `SerialAllocator`).
        let any = UInt64.random(in: ObjectKey.unsavedSerialMin..<ObjectKey.serialMax)
        return any..<(any + 1)
      }
    }
    defer { serials = serials.dropFirst(countMax) }
    return serials.prefix(countMax)
  }

  package var lockStatistics: LockStatistics { LockStatistics() }

  package func close() {}

  // MARK: - Not within a transaction

  package func execute(
    _ batch: StoreBatch, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void
  ) {
    completion(.failure(StoreError.migrating))
  }

  package func edit(
    _ edit: HistoryEdit, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    completion(.failure(StoreError.migrating))
  }

  package func setValue(
    _ value: Data?, forKey key: String,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    completion(.failure(StoreError.migrating))
  }

  package func metadata() throws -> StoredMetadata { throw StoreError.migrating }

  package func historyStatus() throws -> HistoryStatus? { throw StoreError.migrating }

  package func historyToken(of generation: UInt64) -> HistoryToken {
    HistoryToken(storeID: uuid, generation: generation)
  }

  package func history(
    after token: HistoryToken?, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction] {
    throw StoreError.migrating
  }

  package func compact(_ watch: BatchWatch) throws -> CompactionOutcome {
    throw StoreError.migrating
  }

  package func oldestReader() throws -> StoredReader? { throw StoreError.migrating }

  package func backUp(to path: String, compacting: Bool, _ watch: BatchWatch) throws {
    throw StoreError.migrating
  }
}

/// How many objects a stage has inserted, updated and deleted. An object counts once for each save
/// that changes it.
package struct MigrationCounts: Sendable {
  package private(set) var inserted = 0
  package private(set) var updated = 0
  package private(set) var deleted = 0

  mutating func note(_ plan: SavePlan) {
    for section in plan.sections {
      for item in section.items {
        if item.new == nil {
          deleted += 1
        } else if item.old == nil {
          inserted += 1
        } else {
          updated += 1
        }
      }
    }
  }
}
