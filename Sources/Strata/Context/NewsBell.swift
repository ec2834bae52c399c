// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Tells a context that merges automatically that there are news, and schedules one turn for any
/// number of them.
///
/// ## Isolation
/// Sendable: rung on the threads of those who publish and of the writer.
final class NewsBell: Sendable {
  private let hasRung = Atomic(false)
  private let schedule: (@Sendable () -> Void)?

  init(schedule: (@Sendable () -> Void)?) { self.schedule = schedule }

  /// Whether it has rung since it was last silenced.
  var isRinging: Bool { hasRung.load(ordering: .sequentiallyConsistent) }

  func ring() {
    if !hasRung.exchange(true, ordering: .sequentiallyConsistent) { schedule?() }
  }

  /// Called before a view is taken: what rings from then on may not be in it.
  func silence() { hasRung.store(false, ordering: .sequentiallyConsistent) }
}
