// SPDX-License-Identifier: Apache-2.0
import Dispatch
package import Foundation
package import StrataChanges
package import StrataModel
import StrataPrimitives

/// The storage of objects: it makes snapshots and saves change sets.
///
/// The coordinator uses stores only by this protocol, so that a store on another engine can
/// replace `LMDBStore`. Tests/StrataStoreTests has the contract that each must pass.
///
/// ## Isolation
/// Sendable: every call may come from any thread.
package protocol PersistentStore: SnapshotSource {
  /// The identifier of the store, which copies of its file keep; object URIs contain it.
  var uuid: UUID { get }

  /// Whether the store was opened read-only. Then all that would change it, `commit`, `execute`,
  /// `edit` and `setValue`, fails with `StoreError.readOnly`, and the serials of new objects are
  /// not reserved.
  var isReadOnly: Bool { get }

  /// The identifiers of the threads that run jobs of the store's writer, or of the writers of its
  /// members. A wait for the store would never end on those threads.
  var writingThreads: [UInt] { get }

  /// Observes the work with the store; nil unless the program has asked for it before the store was
  /// opened.
  var instrument: (any Instrument)? { get }

  /// Saves a change set, all of it or nothing, and calls `completion` when it is as durable as the
  /// store promises.
  ///
  /// Saves that wait at the same time may share one transaction. Each is checked by itself, after
  /// those before it, and its failure concerns only that save.
  ///
  /// - Parameters:
  ///   - lendsThread: whether the caller only waits until the completion is called. Then the
  ///     caller's thread may do all the work before this returns.
  ///   - completion: runs on the store's writer: it must be short and must not wait for another
  ///     save. It gets a `StoreError` if nothing was saved.
  func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void)

  /// Executes a batch, all of it or nothing, and calls `completion` when it is as durable as the
  /// store promises. It waits for its turn among the saves, and notifies the feed as a save does.
  ///
  /// - Parameters:
  ///   - lendsThread: as for a save.
  ///   - completion: runs on the store's writer: it must be short and must not wait for another
  ///     save. It gets `StoreError`, `BatchDenial`, `CancellationError` or an error of the batch's
  ///     own code, if nothing was changed.
  func execute(
    _ batch: StoreBatch, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void)

  /// Changes the history in its turn among the saves, and calls `completion` when that is as
  /// durable as the store promises.
  ///
  /// - Parameter completion: runs on the store's writer: it must be short and must not wait for
  ///   another save. It gets a `StoreError` if nothing was changed.
  func edit(
    _ edit: HistoryEdit, completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Sets a value of the program in the store's description, or removes it if it is nil, and calls
  /// `completion` when that is as durable as the store promises.
  ///
  /// - Parameters:
  ///   - key: 1 to 255 bytes of UTF-8.
  ///   - completion: see `edit`.
  func setValue(
    _ value: Data?, forKey key: String,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// The store's description of itself.
  ///
  /// - Throws: `StoreError`.
  func metadata() throws -> StoredMetadata

  /// The history that the store keeps; nil if it keeps none.
  ///
  /// - Throws: `StoreError`.
  func historyStatus() throws -> HistoryStatus?

  /// The token of a generation, which has no mark if the store does not have the transaction.
  func historyToken(of generation: UInt64) -> HistoryToken

  /// The transactions after a token, oldest first: as many as there are, up to `countMax`, and up
  /// to the one with which they have `byteCountMax` bytes.
  ///
  /// - Parameter token: nil for the oldest that is kept.
  /// - Throws: `StoreError.historyNotKept`, `.historyTooOld`, `.foreignHistoryToken`, `.damaged`,
  ///   `.storage`.
  func history(
    after token: HistoryToken?, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction]

  /// Copies the newest commit into a new file at `path`, while readers and savers go on. Blocks the
  /// calling thread.
  ///
  /// - Parameters:
  ///   - compacting: whether to leave out unused space, which takes more time.
  ///   - watch: told the bytes that are written; it can cancel.
  /// - Throws: `StoreError`, `CancellationError`. There is no file at the path then.
  func backUp(to path: String, compacting: Bool, _ watch: BatchWatch) throws

  /// Gives the space that the store no longer needs back to the file system. Blocks the calling
  /// thread; saves wait until it is done, and readers for a moment.
  ///
  /// - Parameter watch: told the bytes that are written; it can cancel.
  /// - Throws: `StoreError.storeInUse`, `.snapshotHeld`, `.diskFull` and others;
  ///   `CancellationError`. The store has then the same content.
  func compact(_ watch: BatchWatch) throws -> CompactionOutcome

  /// The oldest state that is being read, in any process; nil if none is.
  ///
  /// - Throws: `StoreError.closed`.
  func oldestReader() throws -> StoredReader?

  /// Serials for new objects, which no object of the store ever had or will have, whatever happens
  /// to the process. Waits for the disk only if 65,536 serials are used up faster than the store
  /// writes.
  ///
  /// - Parameter countMax: how many are of use, 1 at least.
  /// - Returns: 1 at least. Those that are not used are lost.
  func takeSerials(upTo countMax: Int) -> Range<UInt64>

  /// Serials for new objects of one entity, as in `takeSerials(upTo:)`. In a group, they come from
  /// the first writable store that accepts the entity.
  func takeSerials(upTo countMax: Int, for entity: EntityNumber) -> Range<UInt64>

  /// The stores that this one consists of, in the order of `feeds`: itself, unless it is a group.
  var members: [any PersistentStore] { get }

  /// The place among `members` of the store that has the object, if it is saved; nil if none can
  /// have it.
  func place(of key: ObjectKey) -> Int?

  /// Whether one of `members` takes new objects of an entity.
  func acceptance(of entity: EntityNumber, inStoreAt place: Int) -> StoreAcceptance

  /// How often and how long threads have waited for the locks that the store's snapshots take. Zero
  /// for locks of other types.
  var lockStatistics: LockStatistics { get }

  /// Finishes the saves that wait, and lets the store go. Later calls throw `StoreError.closed`;
  /// snapshots that are held stay good, and the file is closed with the last of them.
  func close()
}

/// A reader of an old state of a store.
package struct StoredReader: Sendable, Hashable {
  package let processID: Int32
  /// How many commits its state is behind the newest.
  package let commitLag: Int
  /// How long its state has not been the newest, at the least.
  package let age: Duration
  /// The name of a context of this process that holds the state; nil if none is known.
  package let holder: String?

  package init(processID: Int32, commitLag: Int, age: Duration, holder: String?) {
    (self.processID, self.commitLag) = (processID, commitLag)
    (self.age, self.holder) = (age, holder)
  }
}

/// The bytes of a store before and after a compaction.
package struct CompactionOutcome: Sendable, Hashable {
  package let formerByteCount: Int
  package let byteCount: Int

  package init(formerByteCount: Int, byteCount: Int) {
    (self.formerByteCount, self.byteCount) = (formerByteCount, byteCount)
  }
}

// A store that is not a group.

extension PersistentStore {
  package func takeSerials(upTo countMax: Int, for entity: EntityNumber) -> Range<UInt64> {
    takeSerials(upTo: countMax)
  }

  package var writingThreads: [UInt] { [] }

  package var instrument: (any Instrument)? { nil }

  package var members: [any PersistentStore] { [self] }

  package func place(of key: ObjectKey) -> Int? { 0 }

  package func acceptance(of entity: EntityNumber, inStoreAt place: Int) -> StoreAcceptance {
    isReadOnly ? .readOnly : .accepted
  }
}

extension PersistentStore {
  /// Executes a batch and waits for the result.
  ///
  /// - Throws: the error that `execute(_:lendingThread:completion:)` passes to its completion;
  ///   `StoreError.wouldDeadlock` on the store's writer thread.
  package func execute(_ batch: StoreBatch) throws -> BatchOutcome {
    let answer = Answer<BatchOutcome>()
    execute(batch, lendingThread: true) { answer.give($0) }
    return try answer.wait()
  }

  /// Changes the history, suspending the task.
  ///
  /// - Throws: `StoreError`, with nothing changed.
  package func edit(_ edit: HistoryEdit) async throws {
    try await withCheckedThrowingContinuation { continuation in
      self.edit(edit) { continuation.resume(with: $0) }
    }
  }

  /// Executes a batch, suspending the task. Cancelling the task ends it without changing anything,
  /// unless it is being committed.
  ///
  /// - Throws: the error that `execute(_:lendingThread:completion:)` passes to its completion.
  package func execute(_ batch: StoreBatch) async throws -> BatchOutcome {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        execute(batch, lendingThread: false) { continuation.resume(with: $0) }
      }
    } onCancel: {
      batch.watch.cancel()
    }
  }
}
