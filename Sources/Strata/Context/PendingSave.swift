// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataChanges
import StrataPrimitives

/// A save to the store that is under way: the frozen change set, and, once the disk is done, the
/// result.
///
/// ## Isolation
/// Sendable: the writer's thread stores the result, the waiting threads read it.
final class PendingSave: Sendable {
  let changeSet: ChangeSet

  private struct State {
    var result: Result<CommitResult, any Error>?
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The outcome of finishing the save in its context.
    var outcome: Result<Void, any Error>?
  }

  private let state = CountedMutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ changeSet: ChangeSet) { self.changeSet = changeSet }

  /// Stores the result and wakes the waiting threads. Called once, by the writer.
  func complete(_ result: Result<CommitResult, any Error>) {
    let waiters = state.withLock { state in
      state.result = result
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
    semaphore.signal()
  }

  /// Suspends until the writer is done.
  func finished() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.result != nil { return true }
        state.waiters.append(continuation)
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  /// Blocks until the writer is done.
  func waitUntilFinished() {
    semaphore.wait()
    semaphore.signal()
  }

  /// The writer's result. Only after it is done.
  var result: Result<CommitResult, any Error> {
    guard let result = state.withLock({ $0.result }) else {
      preconditionFailure("a save is asked for its result when the writer is done")
    }
    return result
  }

  /// The outcome of a save that another turn has finished.
  var outcome: Result<Void, any Error>? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }
}
