// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata

/// The state of a store after an operation that was interrupted, or was not.
enum CrashState: Equatable {
  case before, after
  /// The number of committed transactions of a batch.
  case transactions(Int)
  /// Anything else, in words.
  case torn(String)
}

extension CrashOperation {
  /// Compares the whole store with the states that it may have.
  func state(ofStoreAt store: URL) throws -> CrashState {
    switch self {
    case .inferredMigration:
      try migrationState(store) {
        try auditEvolved(PersistentContainer(at: store, model: LaterLedger.model()))
      }
    case .stagedMigration:
      // Without the plan: a store of the later model needs none.
      try migrationState(store) {
        try auditMigrated(PersistentContainer(at: store, model: StagedLedger.model()))
      }
    case .create: try creationState(store)
    case .save: try savedState(store)
    case .saveAndBackup: try savedAndCopiedState(store)
    case .backup, .compactedBackup: try backupState(store)
    case .compaction: try compactionState(store)
    case .insert, .update, .insertInTransactions, .updateInTransactions: try batchState(store)
    case .delete: try deletionState(store)
    }
  }

  private func migrationState(
    _ store: URL, auditLater: () throws -> [String]
  ) throws -> CrashState {
    do {
      return try filledState(PersistentContainer(at: store, model: Ledger.model()))
    } catch StoreError.modelMismatch {
      let problems = try auditLater()
      return problems.isEmpty ? .after : .torn("\(problems)")
    }
  }

  private func creationState(_ store: URL) throws -> CrashState {
    let copy = Self.copy(of: store)
    guard FileManager.default.fileExists(atPath: copy.path) else { return .before }
    let found = try auditBatches(PersistentContainer(at: copy, model: Ledger.model()))
    return found.sequences.isEmpty && found.problems.isEmpty ? .after : .torn("\(found)")
  }

  private func savedState(_ store: URL) throws -> CrashState {
    let container = try PersistentContainer(at: store, model: Ledger.model())
    let sequences = try container.root.performAndWait { context in
      try context.fetch(Sheet.all.sorted(by: \.sequence)).map(\.sequence)
    }
    let former = Array(1...Ledger.filledCount)
    if sequences == former { return .before }
    let isWhole = sequences == former.map { $0 + Self.firstSequence }
    return isWhole ? .after : .torn("sheets \(sequences)")
  }

  /// `.transactions(1)` between a save and its backup, or if a save was refused and is there later.
  private func savedAndCopiedState(_ store: URL) throws -> CrashState {
    let (state, copy) = (try savedState(store), Self.copy(of: store))
    guard FileManager.default.fileExists(atPath: copy.path) else {
      return state == .after ? .transactions(1) : state
    }
    let copied = try savedState(copy)
    return state == copied || copied != .before && copied != .after ? copied : .transactions(1)
  }

  private func backupState(_ store: URL) throws -> CrashState {
    let state = try filledState(PersistentContainer(at: store, model: Ledger.model()))
    let copy = Self.copy(of: store)
    guard state == .before, FileManager.default.fileExists(atPath: copy.path) else { return state }
    let copied = try filledState(PersistentContainer(at: copy, model: Ledger.model()))
    return copied == .before ? .after : copied
  }

  /// A compacted store does not shrink once more.
  private func compactionState(_ store: URL) throws -> CrashState {
    let container = try PersistentContainer(at: store, model: Ledger.model())
    let state = try filledState(container)
    guard state == .before else { return state }
    let sizes = try container.coordinator.compact()
    return sizes.byteCount < sizes.formerByteCount ? .before : .after
  }

  private func deletionState(_ store: URL) throws -> CrashState {
    let container = try PersistentContainer(at: store, model: Ledger.model())
    let found = try auditBatches(container)
    let rest = Array((Ledger.filledCount / 2 + 1)...Ledger.filledCount)
    if found.problems.isEmpty, found.sequences == rest { return .after }
    return try filledState(container)
  }

  /// `before` if the store is as `makeStore` makes it.
  private func filledState(_ container: PersistentContainer) throws -> CrashState {
    let found = try auditBatches(container)
    let isWhole = found.sequences == Array(1...Ledger.filledCount) && found.problems.isEmpty
    return isWhole ? .before : .torn("sheets \(found.sequences), \(found.problems)")
  }

  /// Compares the sequences of all lines, in the order in which they were inserted, and by index.
  private func batchState(_ store: URL) throws -> CrashState {
    let container = try PersistentContainer(at: store, model: Ledger.model())
    let (lines, byIndex) = try container.root.performAndWait { context in
      let lines = try context.fetch(Line.all).sorted { $0.objectID.key < $1.objectID.key }
      let later = try context.count(Line.where { $0.sequence > Self.firstSequence })
      return (lines.map(\.sequence), later)
    }
    let filled = (1...Ledger.filledCount).flatMap {
      repeatElement($0, count: Ledger.lineCount)
    }
    let isInsert = self == .insert || self == .insertInTransactions
    let doneCount = lines.count { $0 > Self.firstSequence }
    let expected =
      isInsert
      ? filled + (0..<doneCount).map { Self.firstSequence + 1 + $0 }
      : filled.prefix(doneCount).map { $0 + Self.firstSequence } + filled.dropFirst(doneCount)
    guard lines == expected, byIndex == doneCount else {
      return .torn("\(doneCount) of \(lines.count) lines, \(byIndex) by index")
    }
    if doneCount == 0 { return .before }
    if doneCount == (isInsert ? Self.insertedCount : filled.count) { return .after }
    guard self == .insertInTransactions || self == .updateInTransactions,
      doneCount.isMultiple(of: Self.commitInterval)
    else { return .torn("\(doneCount) lines") }
    return .transactions(doneCount / Self.commitInterval)
  }
}
