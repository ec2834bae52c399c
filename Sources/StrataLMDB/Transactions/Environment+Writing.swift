// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import Synchronization

// MARK: - Writing

extension Environment {
  /// Runs `job` on the writer thread, after all jobs submitted before it. The environment stays
  /// open until it has run.
  ///
  /// - Parameter lendsThread: whether the caller waits for the job anyway. Then it may run on the
  ///   caller's thread, before this returns; that thread is the writer thread until then.
  /// - Throws: `forked`; `io` when the system gives no more threads.
  package func submit(
    lendingThread lendsThread: Bool = false, _ job: @escaping @Sendable () -> Void
  ) throws(LMDBError) {
    try ForkGuard.check()
    try writer.submit({ withExtendedLifetime(self) { job() } }, lendingThread: lendsThread)
  }

  /// Whether the caller runs in a job: on the writer thread, or on one that was lent for it.
  package var isOnWriterThread: Bool { writer.isCurrent }

  /// Begins a write transaction. Waits while another process writes.
  ///
  /// - Important: Only in a job on the writer thread, and only when no other write transaction of
  ///   this environment is open there. Anything else traps: LMDB would block for ever.
  /// - Throws: `panic`, `mapResized`, `outOfMemory`, `forked`, `fileReplaced`; `corrupted` if a
  ///   page could not be used before; `permissionDenied` if the environment is not writable.
  package func begin() throws(LMDBError) -> WriteTransaction {
    try ForkGuard.check()
    precondition(
      writer.isCurrent, "A write transaction begins in a job submitted to the writer thread.")
    precondition(
      !isWriting.load(ordering: .relaxed),
      "A write transaction of this environment is open already; commit or abort it first.")
    // A transaction in which LMDB was left may not be begun again.
    if mapped.isBroken { throw .corrupted }
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(raw, nil, 0, &transaction))
    guard let transaction else { throw .outOfMemory }
    do throws(LMDBError) {
      try checkPath()
      try checkNumber(of: transaction, isWriting: true)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    isWriting.store(true, ordering: .relaxed)
    return WriteTransaction(environment: self, raw: transaction)
  }

  /// Runs `body` in a write transaction on the writer thread and waits for it: commits when it
  /// returns, unless it has ended the transaction itself, and aborts when it throws.
  ///
  /// - Important: A call from the writer thread itself traps: it would wait for itself.
  /// - Throws: the errors of `body`, `begin` and `WriteTransaction.commit`.
  package func writeSync<T>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> sending T
  ) throws -> sending T {
    try ForkGuard.check()
    precondition(
      !writer.isCurrent, "writeSync was called on the writer thread, which would wait for itself.")
    let outcome = Monitor<Result<T, any Error>?>(nil)
    // The caller holds the environment until the outcome is there.
    let job: WriterThread.Job = { [unowned self] in
      // Safety: the result is taken once; until then only the monitor holds it.
      nonisolated(unsafe) let result = Result { try self.write(body) }
      outcome.change { $0 = result }
    }
    try writer.submit(job, lendingThread: true)
    // Safety: the monitor holds the result alone, and it is taken once.
    nonisolated(unsafe) let taken = outcome.wait { $0.take() }
    return try taken.get()
  }

  private func write<T>(
    _ body: (WriteTransaction) throws -> sending T
  ) throws -> sending T {
    let transaction = try begin()
    defer { transaction.abort() }
    let value = try body(transaction)
    if transaction.raw != nil { try transaction.commit() }
    return value
  }
}
