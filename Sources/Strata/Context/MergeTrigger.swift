// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// Notifies a context that merges automatically of events, and schedules one turn for any number of
/// them. Tasks that wait for a merge get the same firings.
///
/// ## Isolation
/// Sendable: fired on the threads of publishing contexts and of the writer.
final class MergeTrigger: Sendable {
  private struct Waiting {
    var tasks: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextNumber = 0
  }

  private let hasFired = Atomic(false)
  private let schedule: (@Sendable () -> Void)?
  private let waiting = CountedMutex(Waiting())

  init(schedule: (@Sendable () -> Void)?) { self.schedule = schedule }

  /// Whether it has fired since it was last reset.
  var isFired: Bool { hasFired.load(ordering: .sequentiallyConsistent) }

  func fire() {
    if hasFired.exchange(true, ordering: .sequentiallyConsistent) { return }
    schedule?()
    for task in waiting.withLock({ Array($0.tasks.values) }) { task.yield() }
  }

  /// Called before a view is taken: the view may not have the events that fire from then on.
  func reset() { hasFired.store(false, ordering: .sequentiallyConsistent) }

  /// The firings from now on, for one task. Several that the task has not taken count as one. The
  /// sequence ends with `end()`.
  ///
  /// Firing a trigger that has fired already gives no element. So a task takes the sequence first,
  /// then resets the trigger and looks, and then waits.
  func firings() -> AsyncStream<Void> {
    let (firings, task) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = waiting.withLock { waiting in
      waiting.nextNumber += 1
      waiting.tasks[waiting.nextNumber] = task
      return waiting.nextNumber
    }
    task.onTermination = { [weak self] _ in
      self?.waiting.withLock { waiting in _ = waiting.tasks.removeValue(forKey: number) }
    }
    return firings
  }

  /// Ends all sequences of firings: the context no longer merges automatically.
  func end() {
    for task in waiting.withLock({ Array($0.tasks.values) }) { task.finish() }
  }
}
