// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// State behind a lock that a running thread may take before a sleeping one, and that counts the
/// waits for it. All locks of the layers above the storage engine have this type, because a read or
/// a `perform` may pass any of them.
///
/// `Synchronization.Mutex` hands itself over to the thread that has waited longest, on Linux. That
/// thread sleeps, so the lock stays unused until the system has woken it. With more readers than
/// cores, each reader then sleeps at each lock of each turn: eight threads read forty times less
/// than one. A POSIX mutex is free as soon as it is unlocked. The next thread that asks gets it,
/// and a thread that wakes too late sleeps again.
///
/// The lock is tried first. Only if that fails is the time taken and the thread blocked, so a free
/// lock costs no reading of a clock.
///
/// A closure that is kept behind a lock must be in a struct. The state itself is generic, so the
/// compiler would wrap a bare closure in a conversion each time that `withLock` lends it, and write
/// the wrapped one back: each call would make the next one longer.
///
/// ## Lifetime
/// The POSIX mutex has memory of its own, because it must not move and a Swift value may.
///
/// ## Isolation
/// Sendable: the state is reached only under the lock. The thread sanitizer knows POSIX mutexes,
/// so it sees which thread holds the lock.
@usableFromInline
// Safety: `state` is reached only between `lock` and `unlock`, and in `deinit`.
package struct CountedMutex<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let state: UnsafeMutablePointer<State>
  @usableFromInline let lock = CountedLock()

  package init(_ state: consuming sending State) {
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state.pointee)
  }

  /// - Returns: nil if a thread has the lock; `body` was not called.
  package borrowing func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&state.pointee)
  }

  /// How often and how long threads have waited for the lock so far.
  package var waits: LockWaits { lock.waits }
}

/// A POSIX mutex that counts the waits for it.
///
/// ## Isolation
/// Any thread may lock it. The thread that has locked it unlocks it.
@usableFromInline
// Safety: the system guards the mutex, and the counter is made of atomics.
struct CountedLock: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let counter = WaitCounter()

  @usableFromInline init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let code = pthread_mutex_init(mutex, nil)
    require(code == 0, "The system has no memory for a lock.")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @usableFromInline func lock() {
    if pthread_mutex_trylock(mutex) != 0 { wait() }
  }

  // A call into the system, not an atomic store of ours: the optimizer moves retains past a store.
  @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

  var waits: LockWaits { counter.waits }

  @inline(never)
  private func wait() {
    let start = ContinuousClock.now
    pthread_mutex_lock(mutex)
    counter.add(start.duration(to: .now))
  }
}

/// Counts waits, from any thread.
package struct WaitCounter: ~Copyable, Sendable {
  private let count = Atomic(0)
  private let nanoseconds = Atomic(0)
  private let longestNanoseconds = Atomic(0)

  package init() {}

  package func add(_ wait: Duration) {
    let length = Int(wait / .nanoseconds(1))
    count.add(1, ordering: .relaxed)
    nanoseconds.add(length, ordering: .relaxed)
    longestNanoseconds.max(length, ordering: .relaxed)
  }

  package var waits: LockWaits {
    LockWaits(
      count: count.load(ordering: .relaxed),
      total: .nanoseconds(nanoseconds.load(ordering: .relaxed)),
      longest: .nanoseconds(longestNanoseconds.load(ordering: .relaxed)))
  }
}
