// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// Runs an environment's write jobs, one after the other, each on one thread from its beginning to
/// its end.
///
/// LMDB ties a write transaction to its thread: a second one on the same thread blocks for ever,
/// and one that is committed on another thread leaves the lock taken. Swift's executors move
/// between threads, so a job is a closure that runs to its end. It runs on a thread of the
/// environment's own, or on the thread of a caller that only waits for it. Such a caller lends its
/// thread, and neither of two threads has to be woken, which takes a tenth of the time of a durable
/// commit. The thread of a caller is not used while another process has the file open, because LMDB
/// may wait there for ever (`WriterPatience`).
///
/// ## States
/// - free → running: a job comes, or waits; the thread that will run it is `runner`.
/// - running → free: the job is done.
///
/// ## Invariants
/// - I1: jobs run one at a time, in the order of `submit`. So a thread that is lent is used only if
///   no job runs or waits.
/// - I2: each submitted job runs, also those that wait when `stop` is called.
/// - I3: if a job waits, the environment's thread runs.
///
/// ## Lifetime
/// The thread is started when it is needed, and ends when it has had nothing to do for `idleLimit`,
/// or when `stop` was called and the last job has run. An environment that only reads, or that is
/// not used for a while, has none. The running thread keeps the object alive.
///
/// ## Isolation
/// Any thread may call anything.
final class WriterThread: Sendable {
  struct Job: Sendable {
    let run: @Sendable () -> Void
    let giveUp: Environment.GiveUp
  }

  private struct State {
    /// The jobs that wait.
    var jobs: [Job] = []
    /// The thread on which a job runs, and the job; nil while none does.
    var runner: pthread_t?
    var running: Job?
    var isStarted = false
    var isStopping = false
  }

  private let state = Monitor(State())
  let patience = WriterPatience()
  private let idleLimit: Duration

  init(idleLimit: Duration) { self.idleLimit = idleLimit }

  /// Jobs are the upper layers' code, which may go deep: as much as a main thread has.
  private static var stackByteCount: Int { 8 << 20 }

  /// The thread that runs a job; nil if none is being run.
  var runner: pthread_t? { state.withLock { $0.runner } }

  /// Whether the caller runs in a job.
  var isCurrent: Bool { runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Whether the environment's own thread runs.
  var hasThread: Bool { state.withLock { $0.isStarted } }

  /// Has `job` run after all that came before it.
  ///
  /// - Parameter lendsThread: whether the caller waits for the job anyway, so that it may run
  ///   before this returns.
  /// - Throws: `io(EAGAIN)` when the system gives no more threads; the job does not run then.
  func submit(_ job: Job, lendingThread lendsThread: Bool = false) throws(LMDBError) {
    let (runsHere, isFree) = try state.withLock { state throws(LMDBError) in
      require(!state.isStopping, "A job came after its environment was closed.")
      let isFree = state.runner == nil
      if lendsThread, isFree, state.jobs.isEmpty {
        state.runner = pthread_self()
        state.running = job
        return (true, true)
      }
      if !state.isStarted {
        try SystemThread.start(stackByteCount: Self.stackByteCount) { [self] in run() }
        state.isStarted = true
      }
      state.jobs.append(job)
      return (false, isFree)
    }
    if !runsHere {
      // Otherwise the running thread looks for more jobs at the end.
      if isFree { state.wake() }
      return
    }
    job.run()
    if finishJob() { state.wake() }
  }

  /// Gives up callers of the running job and of the jobs that wait.
  ///
  /// - Returns: when the first of the other callers came; nil if there are no others.
  func giveUp(
    _ arrivedUpTo: SuspendingClock.Instant, _ error: LMDBError
  ) -> SuspendingClock.Instant? {
    let jobs = state.withLock { state in [state.running].compactMap { $0 } + state.jobs }
    return jobs.compactMap { $0.giveUp(arrivedUpTo, error) }.min()
  }

  /// Lets the thread end after the jobs that wait. Does not wait for it.
  func stop() {
    state.change { $0.isStopping = true }
    patience.stop()
  }

  private func run() {
    // Each job is released as soon as it has run, and with it its captures (the environment).
    while let job = nextJob() {
      job.run()
      _ = finishJob()
    }
  }

  /// Waits for a job; nil if the thread is to end.
  private func nextJob() -> Job? {
    while true {
      let next = state.wait(atMost: idleLimit) { state -> Job?? in
        // A caller's thread runs a job.
        if state.runner != nil { return nil }
        if state.jobs.isEmpty {
          if state.isStopping { state.isStarted = false }
          return state.isStopping ? .some(nil) : nil
        }
        let job = state.jobs.removeFirst()
        state.runner = pthread_self()
        state.running = job
        return job
      }
      if let next { return next }
      let isIdle = state.withLock { state in
        if state.jobs.isEmpty { state.isStarted = false }
        return !state.isStarted
      }
      if isIdle { return nil }
    }
  }

  /// - Returns: whether the environment's own thread has something to do.
  private func finishJob() -> Bool {
    // Released outside of the lock, which the environment takes when it is released.
    let (job, isMore) = state.withLock { state in
      defer { (state.runner, state.running) = (nil, nil) }
      return (state.running, !state.jobs.isEmpty || state.isStopping)
    }
    return withExtendedLifetime(job) { isMore }
  }
}
