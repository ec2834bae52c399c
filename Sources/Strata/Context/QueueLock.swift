// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataPrimitives

/// The lock that makes a context queue a queue. If it is free, the caller runs at once on its own
/// thread. The others wait in line, tasks suspended and threads blocked. Against a dispatch queue
/// this costs nanoseconds instead of a thread hop. A body runs at its caller's priority.
///
/// Tasks run in the order of calls, and so do threads. A task takes its place in line (`lineUp`) in
/// its caller's isolation, before it moves to the thread on which it will run. A blocked thread
/// goes before a suspended task. It has to: the thread may be one of the few that tasks run on, and
/// if all of those were blocked behind a task in line, that task would never get a thread.
///
/// A thread that waits while it holds other queues is entered in the wait-for graph, and a wait
/// that would close a cycle is refused.
///
/// ## Invariants
/// - I1 If a task waits and none is promised the lock, the lock is held.
/// - I2 If a thread waits, the lock is held.
/// - I3 A task that has a place comes for it: nothing happens between `lineUp` and `acquire(at:)`.
///
/// ## States
/// Free, promised, held.
/// - free → held: a task or a thread comes, and the line is empty.
/// - held → held: released, and handed to the first thread in line, which holds it before it runs.
/// - free → promised: a task lines up, and the line is empty.
/// - held → promised: released, no thread is in line, and the first task in line is woken.
/// - promised → held: the task comes; or a thread comes first, and the task, when it comes, goes
///   back to the head of its line.
/// - held → free: released, and the line is empty.
///
/// ## Isolation
/// Sendable: a `CountedMutex` guards the state.
final class QueueLock: Sendable {
  /// The place in line of one task, from `lineUp` until the task holds the lock.
  ///
  /// ## States
  /// Waiting, promised, done.
  /// - waiting → promised: the lock is free, and the place is the first in line. A task that sleeps
  ///   is woken; one that is still on its way finds the promise when it comes.
  /// - promised → waiting: the task comes, and a thread holds the lock. The place is the first
  ///   again.
  /// - promised → done: the task comes and holds the lock.
  ///
  /// ## Isolation
  /// Sendable: the state's lock guards it.
  final class Place: Sendable {
    // Safety: both are read and changed only by the lock that the place is of, under its `state`.
    nonisolated(unsafe) fileprivate var isPromised = false
    // Safety: read and changed only by the lock that the place is of, under its `state`.
    nonisolated(unsafe) fileprivate var sleeper: CheckedContinuation<Void, Never>?
  }

  fileprivate struct State {
    /// The lock was promised to a task, which has not come yet.
    var isPromised = false
    /// The thread whose body runs, for the wait-for graph; nil if the lock is free.
    var holder: ThreadID?
    var threads: ArraySlice<(thread: ThreadID, semaphore: DispatchSemaphore)> = []
    var tasks: ArraySlice<Place> = []
    /// Threads whose wait has been refused, and that do not know it yet.
    var refused: Set<ThreadID> = []

    var isHeld: Bool { holder != nil }
  }

  private let state = CountedMutex(State())
  private let waitCounter = WaitCounter()

  /// How often and how long tasks and threads have waited in line.
  var waits: LockWaits { waitCounter.waits }

  /// The thread that holds the lock, if one does.
  var holdingThreads: [ThreadID] { state.withLock { $0.holder }.map { [$0] } ?? [] }

  /// Waits in line without blocking a thread.
  func acquire() async {
    let thread = ThreadID.current
    // A task does not go before one that was promised the lock.
    if state.withLock({ !$0.isPromised && $0.take(by: thread) }) { return }
    await acquire(at: lineUp())
  }

  /// Takes a place at the end of the line, at once. The task must come with it to `acquire(at:)`,
  /// on whatever thread: the tasks behind it wait for that.
  func lineUp() -> Place {
    let place = Place()
    state.withLock { state in
      if state.isHeld || state.isPromised {
        state.tasks.append(place)
      } else {
        state.promise(to: place)
      }
    }
    return place
  }

  /// Waits at a place in line without blocking a thread.
  func acquire(at place: Place) async {
    if claim(place) { return }
    let start = ContinuousClock.now
    repeat { await untilPromised(place) } while !claim(place)
    waitCounter.add(start.duration(to: .now))
  }

  /// Waits in line, blocking the thread.
  ///
  /// - Throws: `ContextError.wouldDeadlock`.
  func acquireBlocking() throws(ContextError) {
    let thread = ThreadID.current
    if state.withLock({ $0.take(by: thread) }) { return }
    try WaitGraph.willWait(thread, for: self)
    defer { WaitGraph.didWait(thread) }
    let semaphore = DispatchSemaphore(value: 0)
    let isFree = state.withLock { state in
      if state.refused.contains(thread) { return false }
      if state.take(by: thread) { return true }
      state.threads.append((thread, semaphore))
      return false
    }
    if isFree { return }
    let start = ContinuousClock.now
    if takeRefusal(of: thread) { throw .wouldDeadlock }
    semaphore.wait()
    if takeRefusal(of: thread) { throw .wouldDeadlock }
    waitCounter.add(start.duration(to: .now))
  }

  /// Whether the wait of a thread has been refused; it knows it then.
  private func takeRefusal(of thread: ThreadID) -> Bool {
    state.withLock { $0.refused.remove(thread) != nil }
  }

  /// Ends the wait of a thread that is in line, or about to be: it would close a cycle of waits.
  func refuse(_ thread: ThreadID) {
    let wake: DispatchSemaphore? = state.withLock { state in
      if state.holder == thread { return nil }
      state.refused.insert(thread)
      guard let place = state.threads.firstIndex(where: { $0.thread == thread }) else { return nil }
      return state.threads.remove(at: place).semaphore
    }
    wake?.signal()
  }

  /// Hands the lock on, or frees it.
  func release() {
    let wake: (@Sendable () -> Void)? = state.withLock { state in
      if let next = state.threads.popFirst() {
        state.holder = next.thread
        return { next.semaphore.signal() }
      }
      state.holder = nil
      guard !state.isPromised, let next = state.tasks.popFirst() else { return nil }
      state.promise(to: next)
      guard let sleeper = next.sleeper.take() else { return nil }
      return { sleeper.resume() }
    }
    wake?()
  }

  /// Suspends the task until the lock is promised to its place.
  private func untilPromised(_ place: Place) async {
    await withCheckedContinuation { continuation in
      let isPromised = state.withLock { _ in
        if !place.isPromised { place.sleeper = continuation }
        return place.isPromised
      }
      if isPromised { continuation.resume() }
    }
  }

  /// Takes the lock that was promised to a place. If a thread was faster, the place goes back to
  /// the head of the line.
  ///
  /// - Returns: false if the lock was not promised, or if a thread was faster.
  private func claim(_ place: Place) -> Bool {
    let thread = ThreadID.current
    return state.withLock { state in
      guard place.isPromised else { return false }
      place.isPromised = false
      state.isPromised = false
      if state.take(by: thread) { return true }
      state.tasks.insert(place, at: state.tasks.startIndex)
      return false
    }
  }
}

extension QueueLock.State {
  /// - Returns: false if the lock is held.
  fileprivate mutating func take(by thread: ThreadID) -> Bool {
    if isHeld { return false }
    holder = thread
    return true
  }

  /// Promises the lock to the task at a place that is in line no longer.
  fileprivate mutating func promise(to place: QueueLock.Place) {
    isPromised = true
    place.isPromised = true
  }
}
