// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Notifies a context that merges automatically of events, and schedules one turn for any number of
/// them.
///
/// ## Isolation
/// Sendable: rung on the threads of publishing contexts and of the writer.
final class MergeTrigger: Sendable {
  private let hasRung = Atomic(false)
  private let schedule: (@Sendable () -> Void)?

  init(schedule: (@Sendable () -> Void)?) { self.schedule = schedule }

  /// Whether it has rung since it was last silenced.
  var isRinging: Bool { hasRung.load(ordering: .sequentiallyConsistent) }

  func ring() {
    if !hasRung.exchange(true, ordering: .sequentiallyConsistent) { schedule?() }
  }

  /// Called before a view is taken: the view may not have the events that ring from then on.
  func silence() { hasRung.store(false, ordering: .sequentiallyConsistent) }
}
