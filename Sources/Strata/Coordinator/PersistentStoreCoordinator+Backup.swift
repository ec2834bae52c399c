// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
import StrataStore

/// How far a backup or a compaction has come.
public struct BackupProgress: Sendable, Hashable {
  /// The bytes that are written.
  public let completedByteCount: Int
  /// The bytes to write, 1 at least: an estimate, too high if unused space is left out.
  public let totalByteCount: Int
}

extension PersistentStoreCoordinator {
  /// Copies the store into a new file, while contexts go on reading and saving.
  ///
  /// The copy has one state of the store: the newest commit at the beginning. It has all objects,
  /// external values and the history, and the same identity, so that object IDs of the store lead
  /// to the copies of its objects. Unsaved changes are not in it. When this returns, the copy is on
  /// the disk; until then there is no file at `url`. A copy of a store in memory is a store on the
  /// disk.
  ///
  /// Saves go on, and until it is done the space that they free is not used again: the file may
  /// grow. If the process dies before that, nothing is left; or, on a file system without unnamed
  /// files (Linux: `O_TMPFILE`), a file named like the copy with `.new-` and a UUID, which the next
  /// backup into the folder removes.
  ///
  /// - Parameters:
  ///   - url: the URL of a file that does not exist; its folder must exist.
  ///   - compacting: whether to leave out unused space, which takes more time.
  /// - Important: It blocks the thread as long as the backup takes. In async code use the
  ///   asynchronous call, which can be cancelled.
  /// - Throws: `StoreError.notAFileURL`, `.fileExists`, `.folderMissing`, `.permissionDenied`,
  ///   `.diskFull`, `.storage`, `.closed`; `.storeBusy` if another process writes for longer than
  ///   `busyTimeout` and `compacting` is false; `.severalStores` if the coordinator has several
  ///   stores: ask `coordinator(for:)`. There is no file at `url` then.
  /// - Complexity: O(bytes of the store).
  public func backUp(to url: URL, compacting: Bool = false) throws {
    try store.backUp(to: url.storePath, compacting: compacting, BatchWatch())
  }

  /// Copies the store into a new file, on a thread of its own, as the blocking call does. When the
  /// task is cancelled, it ends within a few 10,000 bytes.
  ///
  /// - Parameters:
  ///   - url: the URL of a file that does not exist; its folder must exist.
  ///   - compacting: whether to leave out unused space, which takes more time.
  ///   - isolation: the caller's actor, which the default passes.
  ///   - progress: called for about each 64 KiB, on that thread, with the progress; it must be
  ///     short.
  /// - Throws: as the blocking call, and `CancellationError`.
  public func backUp(
    to url: URL, compacting: Bool = false, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws {
    let (watch, path) = (BatchWatch.telling(progress), try url.storePath)
    try await onThread(watch) { try $0.backUp(to: path, compacting: compacting, watch) }
  }

  /// Runs long work with the store on a thread of its own, which `watch` can cancel.
  func onThread<Value: Sendable>(
    _ watch: BatchWatch, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable (any PersistentStore) throws -> Value
  ) async throws -> Value {
    try await LongWork.run(watch, isolation: isolation) { [store] in try work(store) }
  }
}

extension BatchWatch {
  /// A watch that passes on the progress of a copy.
  static func telling(_ progress: (@Sendable (BackupProgress) -> Void)?) -> BatchWatch {
    var report: (@Sendable (Int, Int) -> Void)?
    if let progress {
      report = { progress(BackupProgress(completedByteCount: $0, totalByteCount: $1)) }
    }
    return BatchWatch(report: report)
  }
}
