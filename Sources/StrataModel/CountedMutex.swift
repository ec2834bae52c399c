// SPDX-License-Identifier: Apache-2.0
public import Synchronization

/// State behind a lock that counts who had to wait for it: the locks that a read passes through are
/// such, so that "no read waits" is a figure and not a hope.
///
/// The lock is tried first. Only if that fails is the time taken and the thread blocked, so a lock
/// that nobody contends costs what a plain one costs. It stands in the lowest layer because those
/// above it all have such locks.
///
/// ## Isolation
/// Sendable: the state is reached under the lock alone.
@usableFromInline
package struct CountedMutex<State: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<State>
  @usableFromInline let counter = WaitCounter()

  package init(_ state: consuming sending State) { mutex = Mutex(state) }

  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if let result = try mutex.withLockIfAvailable(body) { return result }
    let start = ContinuousClock.now
    return try mutex.withLock { (state) throws(Failure) -> sending Result in
      counter.add(start.duration(to: .now))
      return try body(&state)
    }
  }

  /// How often and how long threads have waited for the lock so far.
  package var waits: LockWaits { counter.waits }
}

/// Counts waits, from any thread.
@usableFromInline
package struct WaitCounter: ~Copyable, Sendable {
  private let count = Atomic(0)
  private let nanoseconds = Atomic(0)
  private let longestNanoseconds = Atomic(0)

  @usableFromInline package init() {}

  @usableFromInline package func add(_ wait: Duration) {
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
