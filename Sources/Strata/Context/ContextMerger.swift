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
  /// The events that the context has read and not merged yet: the merge failed, or was not allowed
  /// at the time.
  var unmergedEvents = GatheredEvents()
  /// Objects to be looked at when no save is under way: they were to be merged while one had them,
  /// or are gone, and its changes or newer ones may lead to them.
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
  /// - Parameter hadUnmergedChanges: whether there were such changes before. If they were merged in
  ///   between, tasks that wait for the merge are woken all the same.
  func scheduleMergeIfNeeded(hadUnmergedChanges: Bool = false) {
    if work.savepoints.isEmpty, hadUnmergedChanges || hasUnmergedChanges { trigger?.fire() }
  }

  /// Whether changes of others are still to be merged.
  var hasUnmergedChanges: Bool { !unmergedEvents.isEmpty || !postponed.isEmpty }

  /// Begins or ends to merge automatically.
  func setAutomatic(_ isAutomatic: Bool) {
    guard isAutomatic != self.isAutomatic else { return }
    self.isAutomatic = isAutomatic
    layer.mergesAutomatically = isAutomatic
    if isAutomatic { return beginAutomaticMerging() }
    trigger?.end()
    trigger = nil
    listener = nil
    unmergedEvents = GatheredEvents()
  }

  private func beginAutomaticMerging() {
    // Registered or unsaved objects may have been changed by others since they were read.
    let hasWork = !work.working.isEmpty || !work.edits.isEmpty || !work.isPublished
    if registry.cache.count > 0 || hasWork || !reporter.liveResults.isEmpty {
      unmergedEvents.isUnknown = true
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

  /// Merges the events that the context has read from the feeds and not merged yet. If reading
  /// fails, they are merged with the next view; the next call that can throw throws the error.
  func mergeUnmergedEvents(in view: ReadView) {
    var events = unmergedEvents
    unmergedEvents = GatheredEvents()
    do {
      let merged = try merge(events, in: view, isChecked: false)
      // Suspected objects that are not registered here are not named; a list may contain them.
      if !reporter.liveResults.isEmpty { reporter.liveResults.note(events) }
      if !merged.isUntouched { reporter.announcements.append(merged) }
    } catch {
      // Observers may have read more.
      events.append(unmergedEvents)
      unmergedEvents = events
      reporter.note(error)
      reporter.liveResults.noteUnknown()
    }
  }
}
