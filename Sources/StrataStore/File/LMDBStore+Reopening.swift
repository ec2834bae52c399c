// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataPrimitives

// When LMDB has failed to write the header of a file, it refuses all transactions until the file is
// closed (mdb.c: the environment has a fatal error). The next use of the store closes the file and
// opens it again. The file then has the last commit that was acknowledged, and perhaps the one that
// failed.

extension LMDBStore {
  /// The time to wait for snapshots that are being used.
  private static var patience: Duration { .milliseconds(200) }

  /// Closes the file and opens it again. Requests and readers wait in the meantime.
  ///
  /// - Returns: false if the file cannot be closed now: a snapshot of it is held, here or by
  ///   another store of this process, or a compaction is under way; or the caller is the writer.
  /// - Throws: the errors of opening the file, `closed`.
  func reopenFailedFile() throws(StoreError) -> Bool {
    let result = compactionTurn.withLockIfAvailable { _ -> Result<Bool, StoreError> in
      Result { () throws(StoreError) in try performReopening() }
    }
    return try result?.get() ?? false
  }

  private func performReopening() throws(StoreError) -> Bool {
    guard let file = holdFailedFile() else {
      // Another thread was faster, or this is the writer.
      return !hasFailedFile
    }
    let exchange = StoreExchange()
    file.exchange.begin()
    defer { file.exchange.end() }
    detach(for: exchange)
    let isClosed = file.exchange.waitUntilClosed(atMost: Self.patience)
    try attach(file.detached, after: exchange)
    return isClosed
  }

  private var hasFailedFile: Bool {
    if case .open(let opened) = change({ _ in }) {
      opened.queue.environment.needsReopening
    } else {
      false
    }
  }

  /// Lets requests wait, if the file has failed and the caller can close it.
  private func holdFailedFile() -> ReplacedFile? {
    guard case .open(let opened) = change({ _ in }) else { return nil }
    let environment = opened.queue.environment
    guard environment.needsReopening, !environment.isOnWriterThread else { return nil }
    opened.queue.hold()
    return ReplacedFile(
      exchange: FileExchange(of: environment),
      detached: DetachedStore(of: opened, options: options, generation: 0))
  }
}
