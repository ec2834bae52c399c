// SPDX-License-Identifier: Apache-2.0
// Both bring the POSIX thread types; the compiler counts them to the one that it has read first.
import CStrata
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
/// commit.
///
/// ## States
/// - free → running: a job comes, or waits; the thread that will run it is `runner`.
/// - running → free: the job is done, and on the environment's own thread all that came with it.
///
/// ## Invariants
/// - I1: jobs run one at a time, in the order of `submit`. So a thread that is lent is used only if
///   no job runs or waits.
/// - I2: each submitted job runs, also those that wait when `stop` is called.
/// - I3: if a job waits, the environment's thread has been started.
///
/// ## Lifetime
/// The running thread keeps the object alive until `stop` was called and the last job has run. It
/// is started when it is first needed: an environment that only reads has none.
///
/// ## Isolation
/// Any thread may call anything.
final class WriterThread: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    /// The thread on which a job runs; nil while none does.
    var runner: pthread_t?
    var isStarted = false
    var isStopping = false
  }

  private let state = Monitor(State())

  /// Jobs are the upper layers' code, which may go deep: as much as a main thread has.
  private static var stackByteCount: Int { 8 << 20 }

  /// Whether the caller runs in a job.
  var isCurrent: Bool {
    state.withLock { state in
      state.runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
  }

  /// Has `job` run after all that came before it.
  ///
  /// - Parameter lendsThread: whether the caller waits for the job anyway, so that it may run
  ///   before this returns.
  /// - Throws: `io(EAGAIN)` when the system gives no more threads; the job does not run then.
  func submit(_ job: @escaping Job, lendingThread lendsThread: Bool = false) throws(LMDBError) {
    let (runsHere, isFree) = try state.withLock { state throws(LMDBError) in
      precondition(!state.isStopping, "A job came after its environment was closed.")
      let isFree = state.runner == nil
      if lendsThread, isFree, state.jobs.isEmpty {
        state.runner = pthread_self()
        return (true, true)
      }
      if !state.isStarted {
        try start()
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
    job()
    let isMore = state.withLock { state in
      state.runner = nil
      return !state.jobs.isEmpty || state.isStopping
    }
    if isMore { state.wake() }
  }

  /// Lets the thread end after the jobs that wait. Does not wait for it.
  func stop() { state.change { $0.isStopping = true } }

  private func run() {
    while true {
      var jobs: [Job] = state.wait { state in
        if state.runner != nil || state.jobs.isEmpty && !state.isStopping { return nil }
        defer { state.jobs = [] }
        state.runner = state.jobs.isEmpty ? nil : pthread_self()
        return state.jobs.reversed()
      }
      if jobs.isEmpty { return }
      // Each job is released as soon as it has run, and with it its captures (the environment).
      while let job = jobs.popLast() { job() }
      state.withLock { $0.runner = nil }
    }
  }

  /// Starts the thread.
  private func start() throws(LMDBError) {
    let context = Unmanaged.passRetained(self)
    let code = Self.start(context.toOpaque())
    if code != 0 {
      context.release()
      throw LMDBError(code: code)
    }
  }

  private static func start(_ context: UnsafeMutableRawPointer) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackByteCount)
    // `Self.main` in these closures crashes the 6.3.1 compiler.
    #if canImport(Darwin)
      var thread: pthread_t?
      return pthread_create(&thread, &attributes, { WriterThread.main($0) }, context)
    #else
      var thread = pthread_t()
      return pthread_create(&thread, &attributes, { WriterThread.main($0!) }, context)
    #endif
  }

  private static func main(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WriterThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
