// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import Synchronization

/// What one context follows of others' changes, and has to do about them.
///
/// ## Isolation
/// The context's.
struct Merging {
  /// `automaticallyMergesChangesFromParent`.
  var isAutomatic = false
  /// How far the context's views have come. It begins with the context: what is inserted and saved
  /// before the first view may be changed by others before that, too.
  var following: Following
  /// The next view is of another state than the feeds tell of: a pin was set, moved or taken away.
  var isBehind = false
  /// What was learnt and not merged yet: the merge failed, or was not allowed at the time.
  var owed = GatheredNews()
  /// Objects that were to be merged while a save was under way with them.
  var postponed: Set<ObjectKey> = []
  /// Objects that were found to be gone when they were to be read, and nobody has been told of.
  var untold: Set<ObjectKey> = []
  /// Merges that were made while a view was taken, perhaps in the middle of reading a property: told
  /// when the turn ends, or before its body begins.
  var announcements: [TurnChanges] = []
  /// Has the context's next turn come, even if nobody asks; nil for a confined context.
  var schedule: (@Sendable () -> Void)?
  /// Rings when there are news, in a context that merges automatically.
  var bell: NewsBell?
  /// What has the bell rung; the feeds hold it weakly.
  var listener: ChangeFeed.Listener?

  init(of layer: Layer) { following = Following(layer: layer) }

  /// Has a turn come for what could not be merged when it was learnt: in the middle of an `edit { }`, or
  /// of objects that were being saved.
  func ringIfOwed() {
    if !owed.isEmpty || !postponed.isEmpty { bell?.ring() }
  }
}

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
