// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataChanges
import StrataLMDB
import StrataPrimitives

extension LMDBStore {
  /// How long readers wait at most for the snapshots that keep the file open.
  private static var patience: Duration { .seconds(1) }

  /// Replaces the file by a compacted copy of its newest commit, in these steps:
  ///
  /// 1. Requests to write wait in the queue. The copy is written beside the file and synced.
  /// 2. Readers wait. The file is closed as soon as the snapshots of the store are released.
  /// 3. The copy is renamed to the path of the file, while no process can open it.
  /// 4. The file is opened again. Readers go on, and the requests are written.
  ///
  /// If the process dies, the store has the same content before the rename and after it.
  package func compact(_ watch: BatchWatch) throws -> CompactionOutcome {
    try compactionTurn.withLock { _ in try performCompaction(watch) }
  }

  private func performCompaction(_ watch: BatchWatch) throws -> CompactionOutcome {
    if isReadOnly { throw StoreError.readOnly }
    // Nothing in here may keep the file open: it would wait for itself in the exchange.
    let formerByteCount = try openEnvironment().usedByteCount
    guard let file = try holdRequests() else {
      return CompactionOutcome(formerByteCount: formerByteCount, byteCount: formerByteCount)
    }
    // After an exchange it is the queue of the new file, which is not held.
    defer { try? opened().queue.release() }
    var byteCount = 0
    let place = { copy in try self.replace(file, by: copy) }
    try StoreFile.createWhole(
      at: file.exchange.path, permissions: openEnvironment().permissions, placingBy: place
    ) { copy in
      try StoreBackup(of: openEnvironment(), to: file.exchange.path, compacting: true, watch)
        .write(to: copy)
      byteCount = Int(lseek(copy, 0, SEEK_CUR))
    }
    // If the file cannot be opened again, the next use of the store says so.
    return CompactionOutcome(formerByteCount: formerByteCount, byteCount: byteCount)
  }

  /// A file that is to be replaced.
  private struct ReplacedFile {
    let exchange: FileExchange
    let detached: DetachedStore
  }

  /// - Returns: nil for a store in memory.
  /// - Throws: `storeInUse`, `modelChanged`, `closed`, `storage`.
  private func holdRequests() throws -> ReplacedFile? {
    let opened = try opened()
    let environment = opened.queue.environment
    guard environment.options.keepsName else { return nil }
    if environment.isShared { throw StoreError.storeInUse(path: environment.path) }
    let detached = try DetachedStore(of: opened)
    opened.queue.hold()
    return ReplacedFile(exchange: FileExchange(of: environment), detached: detached)
  }

  private func replace(_ file: ReplacedFile, by copy: String) throws {
    let exchange = StoreExchange()
    detach(for: exchange)
    defer { attach(file.detached, after: exchange) }
    guard file.exchange.waitUntilClosed(atMost: Self.patience) else {
      throw StoreError.snapshotHeld
    }
    do {
      guard try file.exchange.perform(with: copy) else {
        throw StoreError.storeInUse(path: file.exchange.path)
      }
    } catch let error as LMDBError {
      throw StoreError(error, opening: file.exchange.path)
    }
  }

  private func detach(for exchange: StoreExchange) {
    guard case .open(let opened) = change({ .exchanging(exchange) }) else { return }
    readers.close()
    opened.queue.retire { [weak self] request in
      if let self { enqueue(request) } else { request.fail(.closed) }
    }
  }

  private func attach(_ file: DetachedStore, after exchange: StoreExchange) {
    readers.reopen()
    var failure: StoreError?
    change {
      do throws(StoreError) {
        let opened = try file.open()
        for request in exchange.takeRequests() { opened.queue.enqueue(request) }
        return .open(opened)
      } catch {
        failure = error
        return .detached(file)
      }
    }
    if let failure { for request in exchange.takeRequests() { request.fail(failure) } }
    exchange.finish()
  }
}
