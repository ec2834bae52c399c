// SPDX-License-Identifier: Apache-2.0
import Dispatch
package import Foundation
package import StrataChanges
import StrataPrimitives

/// Where objects live when no context holds them: snapshots out, change sets in.
///
/// The coordinator knows stores by this protocol alone, so that one on another engine can stand where
/// `LMDBStore` does. Tests/StrataStoreTests has the contract that each must pass.
///
/// ## Isolation
/// Sendable: every call may come from any thread.
package protocol PersistentStore: SnapshotSource {
  /// What identifies the store wherever its file is copied to; object URIs carry it.
  var uuid: UUID { get }

  /// Saves a change set, all of it or nothing, and calls `completion` when it is as durable as the
  /// store is.
  ///
  /// Saves that wait at the same time may share one transaction; each is checked by itself, after
  /// those that came before it. What fails there concerns that save alone.
  ///
  /// - Parameters:
  ///   - lendsThread: whether the caller does nothing until the completion was called. Then it may all
  ///     be done on the caller's thread, before this returns.
  ///   - completion: runs on the store's writer: it must be short and must not wait for another save.
  ///     It gets a `StoreError` if nothing was saved.
  func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void)

  /// Deletes objects where they lie, all of them or none, and what delete rules say with them; calls
  /// `completion` when it is as durable as the store is. It takes its turn among the saves, and tells
  /// the feed as a save does.
  ///
  /// - Parameter completion: as that of `commit`. It gets `StoreError`, `BatchDenial`,
  ///   `CancellationError` or what the deletion's own closures throw, if nothing was deleted.
  func delete(
    _ deletion: BatchDeletion,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void)

  /// Serials for new objects, which no object of the store ever had or will have, whatever happens
  /// to the process. Waits for the disk only if 65,536 serials are used up faster than the store
  /// writes.
  ///
  /// - Parameter countMax: how many are of use, 1 at least.
  /// - Returns: 1 at least. Those that are not used are lost.
  func takeSerials(upTo countMax: Int) -> Range<UInt64>

  /// How often and how long threads have waited for the locks that the store's snapshots take; what
  /// is not the store's is zero.
  var lockStatistics: LockStatistics { get }

  /// Finishes the saves that wait, and lets the store go. Later calls throw `StoreError.closed`;
  /// snapshots that are held stay good, and the file is closed with the last of them.
  func close()
}

extension PersistentStore {
  /// Deletes objects and waits for it.
  ///
  /// - Important: Not in a completion of a save, which would wait for itself.
  /// - Throws: what `delete(_:completion:)` gives its completion.
  package func delete(_ deletion: BatchDeletion) throws -> BatchOutcome {
    let answer = Answer<BatchOutcome>()
    delete(deletion) { answer.give($0) }
    return try answer.wait()
  }

  /// Deletes objects, suspending meanwhile. A cancelled task has it end without having done anything,
  /// unless that comes too late.
  ///
  /// - Throws: what `delete(_:completion:)` gives its completion.
  package func delete(_ deletion: BatchDeletion) async throws -> BatchOutcome {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        delete(deletion) { continuation.resume(with: $0) }
      }
    } onCancel: {
      deletion.watch.cancel()
    }
  }
}
