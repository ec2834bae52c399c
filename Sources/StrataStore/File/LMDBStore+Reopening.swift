// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataPrimitives

// When LMDB has failed to write the header of a file, it refuses all transactions until the file is
// closed (mdb.c: the environment has a fatal error). The next use of the store closes the file and
// opens it again. The file then has the last commit that was acknowledged, and perhaps the one that
// failed.
//
// LMDB also refuses them when another process has grown the file beyond the map of this process.
// The file is opened again with a map that it fits into.

extension LMDBStore {
  /// How long reopening waits at most for snapshots that are being used.
  private static var reopeningSnapshotWaitMax: Duration { .milliseconds(200) }

  /// The error of all transactions until the file is opened again; nil if they succeed.
  var lastingError: LMDBError? {
    guard case .open(let opened) = change({ _ in }) else { return nil }
    return opened.queue.environment.lastingError
  }

  /// Closes the file and opens it again. Requests and readers wait in the meantime.
  ///
  /// - Returns: false if the file cannot be closed now: a snapshot of it is held, here or by
  ///   another store of this process, or a compaction is under way; or the caller is the writer, or
  ///   the store is in memory.
  /// - Throws: the errors of opening the file, `closed`.
  func reopenFailedFile() throws(StoreError) -> Bool {
    guard options.keepsName, !isOnWriterThread else { return false }
    let result = reopeningTurn.withLock { _ in
      // A compaction may itself ask for the open store: nothing waits for its turn here.
      compactionTurn.withLockIfAvailable { _ -> Result<Bool, StoreError> in
        Result { () throws(StoreError) in try performReopening() }
      }
    }
    return try result?.get() ?? false
  }

  private func performReopening() throws(StoreError) -> Bool {
    // Otherwise another thread was faster.
    guard let file = holdFailedFile() else { return true }
    let exchange = StoreExchange()
    file.exchange.begin()
    defer { file.exchange.end() }
    detach(for: exchange)
    let isClosed = file.exchange.waitUntilClosed(atMost: Self.reopeningSnapshotWaitMax)
    try attach(file.detached, after: exchange)
    return isClosed
  }

  /// Lets requests wait, if the file has failed.
  private func holdFailedFile() -> ReplacedFile? {
    guard case .open(let opened) = change({ _ in }) else { return nil }
    let environment = opened.queue.environment
    guard environment.lastingError != nil else { return nil }
    opened.queue.hold()
    let exchange = FileExchange(of: environment)
    return ReplacedFile(
      exchange: exchange, detached: DetachedStore(of: opened, options: options, file: exchange))
  }
}
