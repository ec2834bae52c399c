// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

// Merging as a view is taken, so that all that a turn reads is of one moment, registered objects
// included.

extension ManagedObjectContext {
  /// Whether the context takes over what the contexts and the store that it rests on gain: saves of
  /// siblings, of other topmost contexts, of other coordinators on the same file, and what ancestors
  /// change themselves. False by default. Core Data: `automaticallyMergesChangesFromParent`.
  ///
  /// The merge is as that of `mergeChanges(fromContextDidSave:)`: unsaved changes are kept, property
  /// by property, over what has come. It is made when a turn takes its view:
  /// - in a queue's context before the body begins; news bring a turn about by themselves;
  /// - in the main actor's context in a job of its own soon after the news, or at the first read that
  ///   needs more than the registered objects, if that comes first;
  /// - in a confined context at the first such read of a turn, and at `processPendingChanges()`.
  ///
  /// What another process saved is noticed when a view is taken, and then all registered objects are
  /// checked.
  public var automaticallyMergesChangesFromParent: Bool {
    get { merging.isAutomatic }
    set {
      guard newValue != merging.isAutomatic else { return }
      merging.isAutomatic = newValue
      layer.mergesAutomatically = newValue
      if newValue {
        beginAutomaticMerging()
      } else {
        merging.bell = nil
        merging.listener = nil
        merging.owed = GatheredNews()
      }
    }
  }

  private func beginAutomaticMerging() {
    // What is held or unsaved may be of objects that somebody has changed since.
    let hasWork = !working.isEmpty || !edits.isEmpty || !isPublished
    if cache.count > 0 || hasWork || !liveResults.isEmpty { merging.owed.isUnknown = true }
    let chain = merging.following.chain
    let bell = NewsBell(schedule: merging.schedule)
    let listener = ChangeFeed.Listener { news in
      if news.concerns(chain) { bell.ring() }
    }
    merging.bell = bell
    merging.listener = listener
    for ancestor in layer.parent?.chain ?? [] { ancestor.feed.add(listener) }
    coordinator.feed.add(listener)
    bell.ring()
  }

  /// Merges what has come since the last view, at a moment at which observers may run.
  func mergeArrivedNews() {
    guard merging.bell?.isRinging == true else { return }
    if view != nil {
      // On the main actor this is another job than the one that took the view.
      if confinement == .mainActor { endTurn() } else { encodeEdits() }
      view = nil
    }
    do { _ = try currentView() } catch {
      if deferredError == nil { deferredError = error }
    }
    announceMerges()
  }

  /// Merges what the context has learnt and not merged. What cannot be read is merged with the next
  /// view; the error waits for the next call that can throw.
  func mergeOwed(in view: ReadView) {
    let owed = merging.owed
    merging.owed = GatheredNews()
    do {
      let merged = try merge(owed, in: view, isChecked: false)
      // Of what is suspected, objects that are not registered here are not named; a list may have them.
      if !liveResults.isEmpty { liveResults.note(owed) }
      if !merged.isEmpty { merging.announcements.append(merged) }
    } catch {
      merging.owed = owed
      if deferredError == nil { deferredError = error }
    }
  }

  /// Tells of the merges that were made while views were taken: lists of all of them at once, since what
  /// they look at is the state after all of them, and then observers of each.
  func announceMerges() {
    let merges = merging.announcements.map { ($0, ChangedObjects($0, schema: schema)) }
    merging.announcements = []
    if !liveResults.isEmpty {
      var changes = liveResults.takeNoted()
      for (merged, objects) in merges { changes.append(LiveChanges(merged, objects)) }
      tellLiveResults(changes)
    }
    for (merged, objects) in merges {
      post(.objectsDidChange, objects)
      post(.didMerge, ChangedObjects(merged, schema: schema))
    }
  }
}
