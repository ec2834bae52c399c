// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataChanges
import StrataPrimitives
import StrataStore

/// A save to the store that is under way: the frozen change set, and, once the disk is done, the
/// result.
///
/// ## Isolation
/// Sendable: the writer's thread stores the result, the waiting threads read it.
final class PendingSave: Sendable {
  let changeSet: ChangeSet
  /// Ends when the save is finished in its context; nil if no instrument observes the save.
  let operation: (any OperationInProgress)?

  private struct State {
    /// The save through several levels of which this is one level's part, until it has ended; nil
    /// for a save of one context.
    var whole: ThroughSave?
    var result: Result<CommitResult, any Error>?
    /// Each wakes one that waits.
    var wakers: [@Sendable () -> Void] = []
    /// The outcome of finishing the save in its context.
    var outcome: Result<Void, any Error>?
  }

  private let state: CountedMutex<State>

  init(
    _ changeSet: ChangeSet, of whole: ThroughSave? = nil, _ operation: (any OperationInProgress)?
  ) {
    self.changeSet = changeSet
    self.operation = operation
    state = CountedMutex(State(whole: whole))
  }

  /// Takes back a save through several levels, unless the store has it already.
  func withdraw() { state.withLock { $0.whole }?.withdraw() }

  /// Stores the result and wakes all that wait. Called once, by the writer.
  func complete(_ result: Result<CommitResult, any Error>) {
    let wakers = state.withLock { state in
      (state.result, state.whole) = (result, nil)
      defer { state.wakers = [] }
      return state.wakers
    }
    for wake in wakers { wake() }
  }

  /// Suspends until the writer is done.
  func finished() async {
    await withCheckedContinuation { continuation in
      wakeWhenFinished { continuation.resume() }
    }
  }

  /// Whether the writer is done.
  var isFinished: Bool { state.withLock { $0.result != nil } }

  /// Blocks until the writer is done. A saver that lends its thread finds that it is.
  func waitUntilFinished(by writer: StoreWriter) {
    if isFinished { return }
    let semaphore = DispatchSemaphore(value: 0)
    wakeWhenFinished { semaphore.signal() }
    writer.wait { semaphore.wait() }
  }

  private func wakeWhenFinished(_ wake: @escaping @Sendable () -> Void) {
    let isDone = state.withLock { state in
      if state.result != nil { return true }
      state.wakers.append(wake)
      return false
    }
    if isDone { wake() }
  }

  /// The writer's result. Only after it is done.
  var result: Result<CommitResult, any Error> {
    guard let result = state.withLock({ $0.result }) else {
      stopProgram("a save is asked for its result when the writer is done")
    }
    return result
  }

  /// The outcome of a save that another turn has finished.
  var outcome: Result<Void, any Error>? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }
}
