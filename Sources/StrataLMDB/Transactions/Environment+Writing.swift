// SPDX-License-Identifier: Apache-2.0
import CStrata
import CStrataLMDB
import StrataPrimitives
import Synchronization

// MARK: - Writing

extension Environment {
  /// Runs `job` on the writer thread, after all jobs submitted before it. The environment stays
  /// open until it has run.
  ///
  /// - Parameters:
  ///   - lendsThread: whether the caller waits for the job anyway. Then it may run on the caller's
  ///     thread, before this returns; that thread is the writer thread until then.
  ///   - giveUp: called while the writer waits for another process: by this job, or by one before
  ///     it.
  /// - Throws: `forked`; `io` when the system gives no more threads.
  package func submit(
    lendingThread lendsThread: Bool = false,
    givingUpBy giveUp: @escaping GiveUp = { _, _ in nil }, _ job: @escaping @Sendable () -> Void
  ) throws(LMDBError) {
    try ForkGuard.check()
    try writer.submit(
      WriterThread.Job(run: { withExtendedLifetime(self) { job() } }, giveUp: giveUp),
      lendingThread: lendsThread && isAlone)
  }

  /// Waits until the jobs that were submitted before have ended, and have let go of the
  /// environment.
  ///
  /// - Returns: false if the environment's own thread has none, and does not run; in a job; or if
  ///   they wait for another process for longer than `busyTimeout`.
  func awaitJobs() -> Bool {
    if !writer.hasThread || isOnWriterThread { return false }
    let hasEnded = Monitor<Bool?>(nil)
    let arrival = SuspendingClock.now
    let job = WriterThread.Job(
      run: { hasEnded.change { $0 = true } },
      giveUp: { arrivedUpTo, _ in
        if arrival > arrivedUpTo { return arrival }
        hasEnded.change { $0 = false }
        return nil
      })
    do { try writer.submit(job) } catch { return false }
    return hasEnded.wait { $0 }
  }

  /// Gives up the callers of a job that came at `arrivedUpTo` or before, unless the job has begun a
  /// transaction for them. They get `error`, and nothing is written for them.
  ///
  /// - Returns: when the first of the others came; nil if there are no others.
  package typealias GiveUp =
    @Sendable (
      _ arrivedUpTo: SuspendingClock.Instant, _ error: LMDBError
    ) -> SuspendingClock.Instant?

  /// Whether the caller runs in a job: on the writer thread, or on one that was lent for it.
  package var isOnWriterThread: Bool { writer.isCurrent }

  /// Whether the environment's own thread for jobs runs.
  package var hasWriterThread: Bool { writer.hasThread }

  /// The identifier of the thread that runs a job, as of `strata_thread_id`; nil if none is being
  /// run.
  package var writingThread: UInt? { writer.runner.map { UInt(strata_id_of_thread($0)) } }

  /// Begins a write transaction. Waits while another process writes. In the meantime, callers
  /// that wait for the writer are given up when `busyTimeout` has passed.
  ///
  /// - Important: Only in a job on the writer thread, and only when no other write transaction of
  ///   this environment is open there. Anything else traps: LMDB would block for ever.
  /// - Throws: `panic`, `mapResized`, `outOfMemory`, `forked`, `fileReplaced`; `corrupted` if a
  ///   page could not be used before; `damagedPage` at the first one, if the file is damaged;
  ///   `permissionDenied` if the environment is not writable.
  package func begin() throws(LMDBError) -> WriteTransaction {
    try ForkGuard.check()
    require(
      writer.isCurrent, "A write transaction begins in a job submitted to the writer thread.")
    require(
      !isWriting.load(ordering: .relaxed),
      "A write transaction of this environment is open already; commit or abort it first.")
    // A transaction in which LMDB was left may not be begun again.
    if mapped.isBroken { throw .corrupted }
    try checkWhole()
    var transaction: OpaquePointer?
    // Asked before the lock is taken: a process that opens the file later does not write before.
    let isShared = !isAlone
    if isShared { try writer.patience.beginWait(givingUpBy: givingUp) }
    let code = mdb_txn_begin(raw, nil, 0, &transaction)
    if isShared { writer.patience.endWait() }
    try check(code)
    guard let transaction else { throw .outOfMemory }
    do throws(LMDBError) {
      try checkPath()
      try checkNumber(of: transaction, isWriting: true)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    isWriting.store(true, ordering: .relaxed)
    let begun = WriteTransaction(environment: self, raw: transaction)
    begun.isShared = isShared
    return begun
  }

  /// Runs `body` in a write transaction on the writer thread and waits for it: commits when it
  /// returns, unless it has ended the transaction itself, and aborts when it throws.
  ///
  /// - Throws: the errors of `body`, `begin` and `WriteTransaction.commit`; `wouldDeadlock` on the
  ///   writer thread itself; `busy` if the writer has waited for another process for longer than
  ///   `busyTimeout`: `body` is not called then.
  package func writeSync<T>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> sending T
  ) throws -> sending T {
    try ForkGuard.check()
    if writer.isCurrent { throw LMDBError.wouldDeadlock }
    let arrival = SuspendingClock.now
    let call = SynchronousWrite<T>(in: self)
    let job = WriterThread.Job(
      run: { call.run(body) },
      giveUp: { arrivedUpTo, error in
        if arrival > arrivedUpTo { return arrival }
        call.giveUp(error)
        return nil
      })
    try writer.submit(job, lendingThread: isAlone)
    return try call.wait()
  }
}
