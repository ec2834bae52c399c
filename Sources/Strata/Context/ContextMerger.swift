// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// How one context takes over what others have saved: by itself, if it merges automatically, or when it is
/// asked to.
///
/// ## Isolation
/// The context's.
package final class ContextMerger: ContextPart {
  let reader: ContextReader
  let loader: ObjectLoader

  /// `automaticallyMergesChangesFromParent`.
  private(set) var isAutomatic = false
  /// Changes that the context knows of and has not merged yet: the merge failed, or was not allowed at the
  /// time.
  var owed = GatheredNews()
  /// Objects that were to be merged while a save was under way with them.
  var postponed: Set<ObjectKey> = []
  /// Has the context's next turn come, even if nobody asks; nil for a confined context.
  var schedule: (@Sendable () -> Void)?
  /// Rings when there are news, in a context that merges automatically.
  private(set) var bell: NewsBell?
  /// Rings the bell; the feeds hold it weakly.
  private var listener: ChangeFeed.Listener?

  package init(_ reader: ContextReader, _ loader: ObjectLoader) {
    self.reader = reader
    self.loader = loader
  }

  /// Has a turn come for what could not be merged when it was learnt: in the middle of an `edit { }`, or
  /// of objects that were being saved.
  func ringIfOwed() {
    if !owed.isEmpty || !postponed.isEmpty { bell?.ring() }
  }

  /// Begins or ends to merge automatically.
  func setAutomatic(_ isAutomatic: Bool) {
    guard isAutomatic != self.isAutomatic else { return }
    self.isAutomatic = isAutomatic
    layer.mergesAutomatically = isAutomatic
    if isAutomatic { return beginAutomaticMerging() }
    bell = nil
    listener = nil
    owed = GatheredNews()
  }

  private func beginAutomaticMerging() {
    // What is held or unsaved may be of objects that somebody has changed since.
    let hasWork = !work.working.isEmpty || !work.edits.isEmpty || !work.isPublished
    if registry.cache.count > 0 || hasWork || !reporter.liveResults.isEmpty {
      owed.isUnknown = true
    }
    let chain = reader.following.chain
    let bell = NewsBell(schedule: schedule)
    let listener = ChangeFeed.Listener { news in
      if news.concerns(chain) { bell.ring() }
    }
    self.bell = bell
    self.listener = listener
    for ancestor in layer.parent?.chain ?? [] { ancestor.feed.add(listener) }
    coordinator.feed.add(listener)
    bell.ring()
  }

  /// Merges what the context has learnt and not merged. What cannot be read is merged with the next
  /// view; the error waits for the next call that can throw.
  func mergeOwed(in view: ReadView) {
    let owed = owed
    self.owed = GatheredNews()
    do {
      let merged = try merge(owed, in: view, isChecked: false)
      // Of what is suspected, objects that are not registered here are not named; a list may have them.
      if !reporter.liveResults.isEmpty { reporter.liveResults.note(owed) }
      if !merged.isEmpty { reporter.announcements.append(merged) }
    } catch {
      self.owed = owed
      reporter.note(error)
    }
  }
}
