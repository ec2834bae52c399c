// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// Notifies a context that merges automatically of events, and schedules one turn for any number of
/// them. Tasks that wait for a merge hear the same rings.
///
/// ## Isolation
/// Sendable: rung on the threads of publishing contexts and of the writer.
final class MergeTrigger: Sendable {
  private struct Waiting {
    var tasks: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextNumber = 0
  }

  private let hasRung = Atomic(false)
  private let schedule: (@Sendable () -> Void)?
  private let waiting = CountedMutex(Waiting())

  init(schedule: (@Sendable () -> Void)?) { self.schedule = schedule }

  /// Whether it has rung since it was last silenced.
  var isRinging: Bool { hasRung.load(ordering: .sequentiallyConsistent) }

  func ring() {
    if hasRung.exchange(true, ordering: .sequentiallyConsistent) { return }
    schedule?()
    for task in waiting.withLock({ Array($0.tasks.values) }) { task.yield() }
  }

  /// Called before a view is taken: the view may not have the events that ring from then on.
  func silence() { hasRung.store(false, ordering: .sequentiallyConsistent) }

  /// The rings from now on, for one task. Several that the task has not taken count as one. The
  /// sequence ends with `end()`.
  ///
  /// A ring while the bell is ringing already is no element. So a task takes the sequence first,
  /// then silences the bell and looks, and then waits.
  func rings() -> AsyncStream<Void> {
    let (rings, task) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = waiting.withLock { waiting in
      waiting.nextNumber += 1
      waiting.tasks[waiting.nextNumber] = task
      return waiting.nextNumber
    }
    task.onTermination = { [weak self] _ in
      self?.waiting.withLock { waiting in _ = waiting.tasks.removeValue(forKey: number) }
    }
    return rings
  }

  /// Ends all sequences of rings: the context no longer merges automatically.
  func end() {
    for task in waiting.withLock({ Array($0.tasks.values) }) { task.finish() }
  }
}
