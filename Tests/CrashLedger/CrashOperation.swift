// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Strata

/// An operation that must leave the state before it or after it, whenever its process ends.
///
/// A new operation adds a case here, its code to `run`, and its states to `CrashOperation+Audit` in
/// CrashTests.
public enum CrashOperation: String, CaseIterable, Sendable {
  case inferredMigration, stagedMigration
  case create, save
  /// A save, and a backup of its result, be it refused or not.
  case saveAndBackup
  case backup, compactedBackup, compaction
  case insert, update, delete
  case insertInTransactions, updateInTransactions

  /// The number of lines that a batch inserts.
  public static let insertedCount = 400
  /// The sequence before the first line that a batch inserts; an update adds it to all sequences.
  public static let firstSequence = 1_000
  /// The number of rows or objects after which the batches of several transactions commit.
  public static let commitInterval = 100

  /// The file that a backup or `create` makes.
  public static func copy(of store: URL) -> URL { URL(fileURLWithPath: store.path + ".copy") }

  /// Makes a store with `Ledger.filledCount` sheets.
  public static func makeStore(at url: URL) throws {
    let container = try PersistentContainer(at: url, model: Ledger.model(), durability: .none)
    try container.root.performAndWait { context in
      for sequence in 1...Ledger.filledCount { Ledger.fill(sequence, in: context) }
      try context.save()
    }
  }

  /// Whether the operation can be done again after it has failed. A batch of several transactions
  /// has committed some of them. A second backup would hide the first one.
  public var isRepeatable: Bool {
    self != .insertInTransactions && self != .updateInTransactions && self != .saveAndBackup
  }

  /// Makes all that the operation needs.
  ///
  /// - Parameter store: a copy of the store that `makeStore` makes.
  /// - Returns: the operation, with one open container if it needs any.
  public func prepared(onStoreAt store: URL) throws -> () throws -> Void {
    switch self {
    case .inferredMigration:
      let model = try LaterLedger.model()
      return { _ = try PersistentContainer(at: store, model: model) }
    case .stagedMigration:
      let (model, plan) = (try StagedLedger.model(), try StagedLedger.plan())
      return { _ = try PersistentContainer(at: store, model: model, migratingWith: plan) }
    case .create:
      let (model, copy) = (try Ledger.model(), Self.copy(of: store))
      return { _ = try PersistentContainer(at: copy, model: model) }
    case .save, .saveAndBackup:
      let container = try PersistentContainer(at: store, model: Ledger.model())
      try container.root.performAndWait { context in
        for sheet in try context.fetch(Sheet.all) { sheet.sequence += Self.firstSequence }
      }
      let copy = Self.copy(of: store)
      return {
        let saved = Result { try container.root.performAndWait { try $0.save() } }
        if self == .saveAndBackup {
          try? FileManager.default.removeItem(at: copy)
          try container.coordinator.backUp(to: copy)
        }
        try saved.get()
      }
    default:
      let container = try PersistentContainer(at: store, model: Ledger.model())
      return { try run(container.coordinator, Self.copy(of: store)) }
    }
  }

  private func run(_ coordinator: PersistentStoreCoordinator, _ copy: URL) throws {
    switch self {
    case .inferredMigration, .stagedMigration, .create, .save, .saveAndBackup: break
    case .backup: try coordinator.backUp(to: copy)
    case .compactedBackup: try coordinator.backUp(to: copy, compacting: true)
    case .compaction: try coordinator.compact()
    case .insert: try insert(BatchInsertRequest(Line.self), coordinator)
    case .insertInTransactions:
      try insert(BatchInsertRequest(Line.self).committing(every: Self.commitInterval), coordinator)
    case .update:
      try coordinator.execute(
        BatchUpdateRequest(Line.all).setting(\.sequence) { $0.sequence + Self.firstSequence })
    case .updateInTransactions:
      try coordinator.execute(
        BatchUpdateRequest(Line.all).setting(\.sequence) { $0.sequence + Self.firstSequence }
          .committing(every: Self.commitInterval))
    case .delete:
      let half = Ledger.filledCount / 2
      try coordinator.execute(BatchDeleteRequest(Sheet.where { $0.sequence <= half }))
    }
  }

  private func insert(
    _ request: BatchInsertRequest<Line>, _ coordinator: PersistentStoreCoordinator
  ) throws {
    try coordinator.execute(request, rows: 1...Self.insertedCount) { line, number in
      line.sequence = Self.firstSequence + number
      line.text = Ledger.text(number, 0)
    }
  }
}
