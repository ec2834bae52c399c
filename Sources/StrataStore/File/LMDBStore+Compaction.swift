// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataChanges
import StrataLMDB
import StrataPrimitives

extension LMDBStore {
  /// How long readers wait at most for the snapshots that keep the file open.
  private static var compactionSnapshotWaitMax: Duration { .seconds(1) }

  /// Replaces the file by a compacted copy of its newest commit, in these steps:
  ///
  /// 1. Requests to write wait in the queue. The copy is written beside the file and synced.
  /// 2. Readers wait. The file is closed as soon as the snapshots of the store are released.
  /// 3. The copy is renamed to the path of the file, while no process can open it, and the folder
  ///    is synced.
  /// 4. The file is opened again. Readers go on, and the requests are written.
  ///
  /// If the process dies, the store has the same content before the rename and after it.
  ///
  /// - Throws: `wouldDeadlock` on the writer thread.
  package func compact(_ watch: BatchWatch) throws -> CompactionOutcome {
    if isOnWriterThread { throw StoreError.wouldDeadlock }
    // A failed file is opened again before the turn, which that needs too.
    _ = try opened()
    return try compactionTurn.withLock { _ in try performCompaction(watch) }
  }

  private func performCompaction(_ watch: BatchWatch) throws -> CompactionOutcome {
    if isReadOnly { throw StoreError.readOnly }
    // Nothing in here may keep the file open: it would wait for itself in the exchange.
    let formerByteCount = try openEnvironment().usedByteCount
    if !options.keepsName {
      return CompactionOutcome(formerByteCount: formerByteCount, byteCount: formerByteCount)
    }
    try fillSerials()
    let file = try holdRequests()
    // After an exchange it is the queue of the new file, which is not held. `opened` would open a
    // failed file again, which needs the turn.
    defer { if case .open(let opened) = change({ _ in }) { opened.queue.release() } }
    var byteCount = 0
    let place = { (copy: borrowing UnfinishedFile) in
      try self.replace(file, by: copy.named(), watch)
    }
    try StoreFile.createWhole(at: file.exchange.path, placingBy: place) { copy in
      let environment = try openEnvironment()
      try StoreBackup(of: environment, to: file.exchange.path, compacting: true, watch)
        .write(to: copy)
      do {
        try FileOwnership(of: environment).give(to: copy)
      } catch let error as LMDBError {
        throw StoreError(error, opening: file.exchange.path)
      }
      byteCount = Int(lseek(copy, 0, SEEK_CUR))
    }
    // If the file cannot be opened again, the next use of the store says so.
    return CompactionOutcome(formerByteCount: formerByteCount, byteCount: byteCount)
  }

  /// A file that is to be replaced or opened again.
  struct ReplacedFile {
    let exchange: FileExchange
    let detached: DetachedStore
  }

  /// - Throws: `storeInUse`, `modelChanged`, `closed`, `storage`.
  private func holdRequests() throws -> ReplacedFile {
    let opened = try opened()
    let environment = opened.queue.environment
    if environment.isShared { throw StoreError.storeInUse(path: environment.path) }
    let detached = try DetachedStore(replacing: opened, options: options)
    opened.queue.hold()
    return ReplacedFile(exchange: FileExchange(of: environment), detached: detached)
  }

  private func replace(_ file: ReplacedFile, by copy: String, _ watch: BatchWatch) throws {
    try watch.check()
    let exchange = StoreExchange()
    file.exchange.begin()
    defer { file.exchange.end() }
    detach(for: exchange)
    defer { try? attach(file.detached, after: exchange) }
    guard file.exchange.waitUntilClosed(atMost: Self.compactionSnapshotWaitMax) else {
      throw StoreError.snapshotHeld
    }
    try watch.check()
    do {
      guard try file.exchange.perform(with: copy) else {
        throw StoreError.storeInUse(path: file.exchange.path)
      }
    } catch let error as LMDBError {
      throw StoreError(error, opening: file.exchange.path)
    }
    // Before a saver is answered: a power failure must not bring the former file back.
    try StoreFile.syncFolder(of: file.exchange.path)
  }

  func detach(for exchange: StoreExchange) {
    change { phase in
      if case .open(let opened) = phase {
        let waiting = opened.queue.retire { [weak self] request in
          if let self { enqueue(request) } else { request.fail(.closed) }
        }
        for request in waiting { exchange.park(request) }
      }
      phase = .exchanging(exchange)
    }
    readers.close()
  }

  /// Opens the file, and ends the exchange. If the file cannot be opened, the requests fail.
  ///
  /// - Throws: the errors of opening the file, `closed`.
  func attach(_ file: DetachedStore, after exchange: StoreExchange) throws(StoreError) {
    do throws(StoreError) {
      let opened = try file.open()
      // Otherwise, requests would be written, and completions called, under the phase's lock.
      opened.queue.hold()
      let former = change { phase in
        for request in exchange.takeRequests() { opened.queue.enqueue(request) }
        phase = .open(opened)
      }
      if case .closed = former { throw .closed }
      readers.reopen()
      exchange.finish()
      opened.queue.release()
      // Closed in between: the readers would keep the file open.
      if case .closed = change({ _ in }) { readers.close() }
      feed.restartWatch()
    } catch {
      change { $0 = .detached(file) }
      let requests = exchange.takeRequests()
      exchange.finish()
      for request in requests { request.fail(error) }
      throw error
    }
  }
}
