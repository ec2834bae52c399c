// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataPrimitives

/// Tells the threads of open pages when the store has changed: other processes' saves, which the
/// coordinator reports, and this one's.
///
/// ## Lifetime
/// `end()` wakes all threads, and lets them go.
///
/// ## Isolation
/// Sendable: its state is behind a lock, and each waiting thread has a semaphore.
final class StoreWatch: Sendable {
  private struct State {
    var revision = 0
    var isOver = false
    var waiting: [DispatchSemaphore] = []
  }

  private let state = CountedMutex(State())

  /// A number that grows with each change of the store.
  var revision: Int { state.withLock { $0.revision } }

  /// Notes the saves of other processes, until the coordinator is gone.
  func follow(_ coordinator: PersistentStoreCoordinator) {
    let changes = coordinator.remoteChanges()
    Task { for await _ in changes { noteChange() } }
  }

  func noteChange() { wakeAll { $0.revision += 1 } }

  func end() { wakeAll { $0.isOver = true } }

  /// The reason why a thread waits no more.
  enum Outcome { case changed, unchanged, over }

  /// Waits until the store's revision is another one.
  ///
  /// - Parameter time: how long, at most.
  func wait(after revision: Int, for time: DispatchTimeInterval) -> Outcome {
    let deadline = DispatchTime.now() + time
    while true {
      let semaphore = DispatchSemaphore(value: 0)
      let outcome: Outcome? = state.withLock { state in
        if state.isOver { return .over }
        if state.revision != revision { return .changed }
        state.waiting.append(semaphore)
        return nil
      }
      if let outcome { return outcome }
      guard semaphore.wait(timeout: deadline) == .timedOut else { continue }
      state.withLock { state in state.waiting.removeAll { $0 === semaphore } }
      return .unchanged
    }
  }

  private func wakeAll(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
    for semaphore in waiting { semaphore.signal() }
  }
}
