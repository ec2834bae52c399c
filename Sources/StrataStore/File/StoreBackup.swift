// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataPrimitives

/// Copies an open store's newest commit into a new file, while readers and writers go on.
///
/// LMDB writes into a pipe on a thread of its own, and this reads from the pipe and writes the
/// file: so it knows how far it has come, and can end early. The file has no name, or a temporary
/// one, until it is complete and synced (`StoreFile.createWhole`).
///
/// ## Isolation
/// Blocks the thread that it runs on; not the writer's.
struct StoreBackup {
  private let environment: Environment
  private let path: String
  private let compacts: Bool
  private let watch: BatchWatch

  /// - Parameter path: of the copy.
  init(of environment: Environment, to path: String, compacting: Bool, _ watch: BatchWatch) {
    self.environment = environment
    self.path = path
    compacts = compacting
    self.watch = watch
  }

  /// - Throws: `StoreError.fileExists`, `.folderMissing`, `.permissionDenied`, `.diskFull`,
  ///   `.storeBusy`, `.storage`; `CancellationError`. There is no file at the path then.
  func run() throws {
    try StoreFile.createWhole(at: path) { try write(to: $0) }
  }

  /// Copies the store over the file at the path, whose permissions the copy gets, and its owner if
  /// this process may change owners. Or copies it to the path if no file is there.
  ///
  /// - Parameter place: gives the complete file, at the path that it gets, its name.
  /// - Throws: as `run`, and the errors of `place`.
  func run(placingBy place: (_ file: borrowing UnfinishedFile) throws -> Void) throws {
    try StoreFile.createWhole(at: path, placingBy: place) { file in
      try write(to: file)
      do {
        try FileOwnership(ofFileAt: path)?.give(to: file, withOwner: false)
      } catch let error as LMDBError {
        throw StoreError(error, opening: path)
      }
    }
  }

  /// Writes the copy to an empty file.
  ///
  /// - Throws: as `run`; `StoreError.wouldDeadlock` on the writer thread, for a copy that is not
  ///   compacted: LMDB takes the lock of writers for it.
  func write(to file: Int32) throws {
    if !compacts, environment.isOnWriterThread { throw StoreError.wouldDeadlock }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw StoreError(LMDBError(code: errno)) }
    let (exit, entry) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let copied = Answer<Void>()
    // Released before the caller goes on, which may want to open the file in another way.
    let source = CountedMutex<Environment?>(environment)
    let thread = Thread { [compacts] in
      // When the reader is gone, writing is an error and no signal.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let result = Result {
        try source.withLock { $0.take() }?.copy(toDescriptor: entry, compacting: compacts) ?? ()
      }
      close(entry)
      copied.give(result)
    }
    thread.stackSize = 1 << 20
    thread.start()
    do {
      if !compacts { try awaitBeginning(exit) }
    } catch {
      // LMDB waits for the other process without a limit. Later, the closed pipe ends the copying.
      close(exit)
      throw error
    }
    do {
      try drain(exit, into: file)
    } catch {
      // Ends the copying, whose own error would only name the closed pipe.
      close(exit)
      _ = try? copied.wait()
      throw error
    }
    close(exit)
    do {
      try copied.wait()
    } catch let error as LMDBError {
      throw StoreError(error)
    }
  }

  /// Waits until LMDB has begun to write a copy that is not compacted: the copy begins with the
  /// file's header, for which LMDB takes the lock of writers.
  ///
  /// - Throws: `StoreError.storeBusy` if another process has had the lock for too long;
  ///   `CancellationError`.
  private func awaitBeginning(_ exit: Int32) throws {
    var waited = Duration.zero
    while true {
      var descriptor = pollfd(fd: exit, events: Int16(POLLIN), revents: 0)
      let last = SuspendingClock.now
      if poll(&descriptor, 1, Self.lookMilliseconds) > 0 { return }
      try watch.check()
      guard let error = environment.busyError else {
        // This process writes.
        waited = .zero
        continue
      }
      waited += last.duration(to: .now)
      if let limit = environment.busyTimeout, waited >= limit { throw StoreError(error) }
    }
  }

  /// How often it is looked whether another process has the lock, and whether the copying was
  /// cancelled.
  private static var lookMilliseconds: Int32 { 20 }

  private func drain(_ exit: Int32, into file: Int32) throws {
    let expectedCount = environment.usedByteCount
    var doneCount = 0
    try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        try watch.check()
        let count = read(exit, buffer.baseAddress, buffer.count)
        if count == 0 { return }
        if count < 0 {
          if errno == EINTR { continue }
          throw StoreError(LMDBError(code: errno))
        }
        try StoreFile.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file)
        doneCount += count
        watch.tell(doneCount, of: max(expectedCount, doneCount))
      }
    }
  }
}
