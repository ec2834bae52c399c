// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB  // lmdb.h brings the POSIX thread types

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The one thread on which an environment writes.
///
/// LMDB ties a write transaction to its thread: a second one on the same thread blocks for ever, and
/// one that is committed on another thread leaves the lock taken. Swift's executors move between
/// threads, so the jobs that write go to a thread of their own.
///
/// ## Invariants
/// - I1: jobs run one at a time, in the order of `submit`.
/// - I2: each submitted job runs, also those that wait when `stop` is called.
///
/// ## Lifetime
/// The running thread keeps the object alive until `stop` was called and the last job has run.
///
/// ## Isolation
/// Any thread may call anything.
final class WriterThread: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var thread: pthread_t?
    var isStopping = false
  }

  private let state = Monitor(State())

  /// Starts the thread.
  ///
  /// - Throws: `io(EAGAIN)` when the system gives no more threads.
  init() throws(LMDBError) {
    let context = Unmanaged.passRetained(self)
    var thread: pthread_t?
    let code = Self.start(context.toOpaque(), &thread)
    if code != 0 {
      context.release()
      throw LMDBError(code: code)
    }
    // No job comes, and nobody asks for the thread, before this init is done.
    state.withLock { $0.thread = thread }
  }

  /// Jobs are the upper layers' code, which may go deep: as much as a main thread has.
  private static var stackByteCount: Int { 8 << 20 }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool {
    state.withLock { state in
      state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
  }

  func submit(_ job: @escaping Job) {
    state.change { state in
      precondition(!state.isStopping, "A job came after its environment was closed.")
      state.jobs.append(job)
    }
  }

  /// Lets the thread end after the jobs that wait. Does not wait for it.
  func stop() { state.change { $0.isStopping = true } }

  private func run() {
    while true {
      var jobs: [Job] = state.wait { state in
        if state.jobs.isEmpty && !state.isStopping { return nil }
        defer { state.jobs = [] }
        return state.jobs.reversed()
      }
      if jobs.isEmpty { return }
      // Each job goes as soon as it has run, and with it what it captured (the environment).
      while let job = jobs.popLast() { job() }
    }
  }

  private static func start(
    _ context: UnsafeMutableRawPointer, _ thread: inout pthread_t?
  ) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackByteCount)
    // `Self.main` in these closures crashes the 6.3.1 compiler.
    #if canImport(Darwin)
      return pthread_create(&thread, &attributes, { WriterThread.main($0) }, context)
    #else
      var started = pthread_t()
      let code = pthread_create(&started, &attributes, { WriterThread.main($0!) }, context)
      if code == 0 { thread = started }
      return code
    #endif
  }

  private static func main(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WriterThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
