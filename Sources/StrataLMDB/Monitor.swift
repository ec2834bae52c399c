// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// State behind a lock, and threads that wait for it to change.
///
/// `Synchronization.Mutex` has no condition to wait on, and the thread sanitizer does not see into
/// it; a POSIX mutex has both.
///
/// ## Isolation
/// The state is reached only inside the closures, under the lock. They must be short, must not
/// enter the same monitor, and must not let references of the state escape that are not Sendable.
///
// Safety: `state` is touched only between lock and unlock of `mutex`.
final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      let codes = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, Self.clock)
      let codes = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, &attributes))
      pthread_condattr_destroy(&attributes)
    #endif
    require(codes == (0, 0), "The system has no memory for a lock.")
  }

  /// The clock of the condition: on Darwin, the only one that it can have.
  private static var clock: clockid_t {
    #if canImport(Darwin)
      CLOCK_REALTIME
    #else
      CLOCK_MONOTONIC
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads the state, or changes it in a way that no thread waits for.
  func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes all waiting threads after the lock is released. Otherwise they
  /// would wake only to wait for the lock.
  func change<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(condition)
    }
    return body(&state)
  }

  /// Wakes all waiting threads: for a change by `withLock` that a thread waits for after all.
  func wake() { pthread_cond_broadcast(condition) }

  /// Waits until `isTrue` returns true, trying again after each change.
  ///
  /// - Parameter limit: how long it waits at most. It never waits for more than 34 years.
  /// - Returns: false if it has waited for that long.
  func wait(atMost limit: Duration, until isTrue: (State) -> Bool) -> Bool {
    wait(atMost: limit) { state in isTrue(state) ? () : nil } != nil
  }

  /// Waits until `body` gives a value, trying again after each change. `body` may alter the state
  /// when it gives one.
  ///
  /// - Parameter limit: how long it waits at most. It never waits for more than 34 years.
  /// - Returns: nil if it has waited for that long.
  func wait<Result>(atMost limit: Duration, for body: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var now = timespec()
    clock_gettime(Self.clock, &now)
    let (seconds, attoseconds) = min(limit, Self.longestWait).components
    let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
    var deadline = timespec()
    deadline.tv_sec = now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    while true {
      if let result = body(&state) { return result }
      if pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return body(&state) }
    }
  }

  /// A time on the clock that is later by this can be stated on every system.
  private static var longestWait: Duration { .seconds(1 << 30) }

  /// Waits until `body` gives a value, trying again after each change. `body` may alter the state
  /// when it gives one.
  func wait<Result, Failure: Error>(
    for body: (inout State) throws(Failure) -> Result?
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}
