// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataStore

/// The sizes of a store's file before and after a compaction, in bytes.
public struct CompactionResult: Sendable, Hashable {
  /// The size of the file before the compaction, in bytes; 0 or more.
  public let formerByteCount: Int
  /// The size of the file after the compaction, in bytes; 0 or more.
  public let byteCount: Int

  init(_ outcome: CompactionOutcome) {
    (formerByteCount, byteCount) = (outcome.formerByteCount, outcome.byteCount)
  }
}

extension PersistentStoreCoordinator {
  /// Gives the space that deleted objects have left back to the file system, while the store stays
  /// open. A file does not shrink otherwise: later saves use the space. Core Data:
  /// `NSSQLiteManualVacuumOption`.
  ///
  /// A compacted copy of the store is written beside the file, then it takes the file's place.
  /// Saves wait until this is done. Contexts go on reading while the copy is written; then they
  /// wait for a moment, until turns in other contexts end and the file is replaced. If the process
  /// dies, the store is as before, or compacted. On a file system without unnamed files (Linux:
  /// `O_TMPFILE`), a file named like the store with `.new-` and a UUID may stay, and the next
  /// compaction removes it. A store in memory is not changed.
  ///
  /// - Important: Only this coordinator may have the store open, in all processes. It blocks the
  ///   thread as long as it takes. In a turn of a context that has read from the store, it throws
  ///   `.snapshotHeld`. In async code use the asynchronous call, which can be cancelled.
  /// - Throws: `StoreError.storeInUse` if another process has the store open; `.snapshotHeld` if a
  ///   pinned query generation, a backup or a turn holds a snapshot for longer than a second, or if
  ///   another coordinator has the store open; `.diskFull`, because it needs space for the copy;
  ///   `.severalStores` if the coordinator has several stores: ask `coordinator(for:)`;
  ///   `.readOnly`, `.permissionDenied`, `.fileReplaced`, `.modelChanged`, `.damaged`, `.storage`,
  ///   `.closed`. The store then has the same content as before.
  /// - Complexity: O(bytes of the store).
  @discardableResult
  public func compact() throws -> CompactionResult {
    CompactionResult(try store.compact(BatchWatch()))
  }

  /// Compacts the store on a thread of its own, as the blocking call does. When the task is
  /// cancelled before the file is replaced, the store stays as it is.
  ///
  /// - Parameters:
  ///   - isolation: the caller's actor, which the default passes.
  ///   - progress: called for about each 64 KiB, on that thread, with the progress of the copy; it
  ///     must be short. A save in it throws `StoreError.wouldDeadlock`.
  /// - Throws: as the blocking call, and `CancellationError`.
  @discardableResult
  public func compact(
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws -> CompactionResult {
    let watch = BatchWatch.telling(progress)
    return CompactionResult(try await onThread(watch) { try $0.compact(watch) })
  }
}
