// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Merges other contexts' saves into one context: automatically, or on request.
///
/// ## Isolation
/// The context's.
package final class ContextMerger: ContextPart {
  let reader: ContextReader
  let loader: ObjectLoader

  /// `automaticallyMergesChangesFromParent`.
  private(set) var isAutomatic = false
  /// Changes that the context has read and not merged yet: the merge failed, or was not allowed at
  /// the time.
  var owed = GatheredEvents()
  /// Objects that were to be merged while a save was under way with them.
  var postponed: Set<ObjectKey> = []
  /// Schedules the context's next turn without any caller; nil for a confined context.
  var schedule: (@Sendable () -> Void)?
  /// Schedules a turn when events arrive, in a context that merges automatically.
  private(set) var trigger: MergeTrigger?
  /// Fires the trigger; the feeds hold it weakly.
  private var listener: ChangeFeed.Listener?

  package init(_ reader: ContextReader, _ loader: ObjectLoader) {
    self.reader = reader
    self.loader = loader
  }

  /// Schedules a turn for changes that could not be merged when they were read: during a savepoint,
  /// or because their objects were being saved. Within a savepoint, its end schedules it.
  ///
  /// - Parameter wasOwing: whether there were such changes before. If they were merged in between,
  ///   tasks that wait for the merge are woken all the same.
  func fireIfOwed(wasOwing: Bool = false) {
    if work.savepoints.isEmpty, wasOwing || isOwing { trigger?.fire() }
  }

  /// Whether changes of others are still to be merged.
  var isOwing: Bool { !owed.isEmpty || !postponed.isEmpty }

  /// Begins or ends to merge automatically.
  func setAutomatic(_ isAutomatic: Bool) {
    guard isAutomatic != self.isAutomatic else { return }
    self.isAutomatic = isAutomatic
    layer.mergesAutomatically = isAutomatic
    if isAutomatic { return beginAutomaticMerging() }
    trigger?.end()
    trigger = nil
    listener = nil
    owed = GatheredEvents()
  }

  private func beginAutomaticMerging() {
    // Registered or unsaved objects may have been changed by others since they were read.
    let hasWork = !work.working.isEmpty || !work.edits.isEmpty || !work.isPublished
    if registry.cache.count > 0 || hasWork || !reporter.liveResults.isEmpty {
      owed.isUnknown = true
    }
    let chain = reader.following.chain
    let trigger = MergeTrigger(schedule: schedule)
    let listener = ChangeFeed.Listener { event in
      if event.concerns(chain) { trigger.fire() }
    }
    self.trigger = trigger
    self.listener = listener
    for ancestor in layer.parent?.chain ?? [] { ancestor.feed.add(listener) }
    for feed in coordinator.feeds { feed.add(listener) }
    trigger.fire()
  }

  /// Merges the changes that the context has read from the feeds and not merged yet. If reading
  /// fails, they are merged with the next view; the next call that can throw throws the error.
  func mergeOwed(in view: ReadView) {
    let owed = owed
    self.owed = GatheredEvents()
    do {
      let merged = try merge(owed, in: view, isChecked: false)
      // Suspected objects that are not registered here are not named; a list may contain them.
      if !reporter.liveResults.isEmpty { reporter.liveResults.note(owed) }
      if !merged.isEmpty { reporter.announcements.append(merged) }
    } catch {
      self.owed = owed
      reporter.note(error)
      reporter.liveResults.noteUnknown()
    }
  }
}
