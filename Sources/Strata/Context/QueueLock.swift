// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// A first-in-first-out hand-off lock: what makes a context queue a queue.
///
/// Whoever finds it free runs at once on its own thread; the others wait in line, tasks suspended and
/// threads blocked, and each is handed the lock by the one before. Against a dispatch queue this
/// costs nanoseconds instead of a thread hop. It runs at its caller's priority.
///
/// ## Invariants
/// - I1 If anybody waits, the lock is held.
/// - I2 Who is handed the lock holds it from the hand-over on, before it runs.
///
/// A thread that waits while it holds other queues is entered in the wait-for graph, and the wait
/// that would close a cycle is refused.
final class QueueLock: Sendable {
  private enum Waiter {
    case task(CheckedContinuation<Void, Never>)
    case thread(ThreadID, DispatchSemaphore)
  }

  private struct State {
    var isHeld = false
    var line: [Waiter] = []
    var first = 0
  }

  private let state = Mutex(State())
  /// The thread whose body runs, for the wait-for graph; nil between a hand-over to a task and the
  /// task's resumption.
  private let holder = Mutex<ThreadID?>(nil)

  /// The thread that holds the lock, if known.
  var holdingThread: ThreadID? { holder.withLock { $0 } }

  /// Takes the lock if it is free.
  func tryAcquire() -> Bool {
    let isTaken = state.withLock { state in
      if state.isHeld { return false }
      state.isHeld = true
      return true
    }
    if isTaken { setHolder(.current) }
    return isTaken
  }

  /// Waits in line without blocking a thread.
  func acquire() async {
    if tryAcquire() { return }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isHeld {
          state.line.append(.task(continuation))
          return false
        }
        state.isHeld = true
        return true
      }
      if isFree { continuation.resume() }
    }
    setHolder(.current)
  }

  /// Waits in line, blocking the thread.
  ///
  /// - Throws: `ContextError.wouldDeadlock`.
  func acquireBlocking() throws(ContextError) {
    if tryAcquire() { return }
    let thread = ThreadID.current
    try WaitGraph.willWait(thread, for: self)
    defer { WaitGraph.didWait(thread) }
    let semaphore = DispatchSemaphore(value: 0)
    let isFree = state.withLock { state in
      if state.isHeld {
        state.line.append(.thread(thread, semaphore))
        return false
      }
      state.isHeld = true
      return true
    }
    if !isFree { semaphore.wait() }
    setHolder(thread)
  }

  /// Hands the lock to the first in line, or frees it.
  func release() {
    let next: Waiter? = state.withLock { state in
      guard state.first < state.line.count else {
        state.isHeld = false
        return nil
      }
      let next = state.line[state.first]
      state.first += 1
      if state.first == state.line.count {
        state.line.removeAll(keepingCapacity: true)
        state.first = 0
      }
      return next
    }
    switch next {
    case nil: break
    case .task(let continuation)?:
      setHolder(nil)
      continuation.resume()
    case .thread(let thread, let semaphore)?:
      setHolder(thread)
      semaphore.signal()
    }
  }

  private func setHolder(_ thread: ThreadID?) { holder.withLock { $0 = thread } }
}
