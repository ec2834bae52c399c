// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

// Reads other contexts' changes, when a view is taken, from the feeds of the ancestors' layers and
// of the store.
//
// The rule: a cached record is used only if no feed has a later change of its object up to the
// view. Objects with such a change are outdated. An object that the program holds keeps its values
// until it is merged or refreshed, as in Core Data; other objects read again at their next use.
//
// ## Why no change is missed or reported twice
// A view consists of the ancestors' published segments and the store's snapshot, in this order. A
// follower advances to exactly these two:
//
// - A publication changes the segments and appends its events in one critical section of the
//   layers' lock; the view copies the segments and the feeds' ends in one critical section. So the
//   segments of a view have exactly the changes of the events before those ends, in every order of
//   pushes and reads.
// - A commit's events are appended before the commit is visible, with its generation. A snapshot of
//   generation g finds all events up to g, and stops before those above, which a later view will
//   find.
// - A save on its way from a layer into the store is not an event for the children of that layer:
//   they saw it in the segment before, and see it in the snapshot after (tags). Only its
//   generation differs, and registered objects are given the new one. If a layer has changed
//   after it was copied and before the snapshot was taken, the segment may have come in between:
//   then the layer's events of committed objects are read early (`Following`). The merge policy's
//   decisions are reported twice, once in the store's feed, with its generation, and once in the
//   layer's, when it releases the segment: whichever of the two a view shows first, it finds the
//   events of it.
// - The trigger of a context that merges automatically is reset before the view is taken, and fires
//   after events are visible: at worst, a turn finds nothing.
// - A commit that fails voids its events. Its generation was above every snapshot's, so no reader
//   has used them.

extension ContextReader {
  /// Takes a view before an object is handed out, so that it is known whether its record is still
  /// good; once a turn.
  @inline(__always)
  func prepareToHandOut() {
    if work.view == nil { takeViewToHandOut() }
  }

  /// Has a merge that the turn's view brings made before objects are looked at that are to be
  /// changed together: not in the middle of it.
  func prepareToRelate() {
    if merger.isAutomatic || merger.hasUnmergedChanges { prepareToHandOut() }
  }

  @inline(never)
  private func takeViewToHandOut() {
    do { _ = try currentView() } catch { reporter.note(error) }
  }

  /// Called with a view that was just taken: outdates the objects that the previous view showed
  /// differently, and merges them if the context merges automatically.
  func follow(_ view: ReadView) {
    var events = following.advance(to: view)
    let committed = events.committed
    if PlantedFault.relabelTooEarly.isPlanted(in: schema) { relabel(committed, in: view) }
    // A view through a pin has no position in the feeds. The context's own pin never changes; an
    // ancestor's pin has changes above it.
    if view.bookmarks == nil { events.isUnknown = !isPinned }
    if isBehind { events.isUnknown = true }
    isBehind = false
    noteDoubt(of: events)
    if !events.isEmpty {
      work.orderedLists.removeAll()
      outdate(by: events)
      if merger.isAutomatic { merger.unmergedEvents.append(events) }
    }
    if !committed.isEmpty {
      relabel(committed, in: view)
      noteCommitsBeneathEdits(committed, in: view)
    }
    if !merger.postponed.isEmpty, work.pendingSave == nil {
      merger.unmergedEvents.append(GatheredEvents(unsettled: merger.postponed))
      merger.postponed = []
    }
    // During a `withSavepoint { }` the merge waits: a throw reverts the body's changes, and no
    // merge.
    if !merger.unmergedEvents.isEmpty, work.savepoints.isEmpty, !isPinned {
      merger.mergeUnmergedEvents(in: view)
    }
  }

  /// Unsaved changes may rest on objects that the events do not name.
  private func noteDoubt(of events: GatheredEvents) {
    if layer.parent == nil { return }
    if work.working.isEmpty && work.edits.isEmpty && work.savepoints.isEmpty {
      work.doubt = Doubt()
    } else {
      work.doubt.insert(events)
    }
  }

  /// Gives registered objects the generation of a commit by an ancestor. A generation identifies
  /// bytes: only objects whose record is known to be the committed one get it. These are the
  /// objects that are not outdated by events and that have no pending change in any ancestor.
  private func relabel(
    _ committed: [(keys: ChangedKeys, generation: UInt64)], in view: ReadView
  ) {
    let count = committed.reduce(0) { $0 + $1.keys.count }
    if count > registry.cache.count * 2 {
      registry.cache.outdateAll()
      let isOneWaiting = registry.cache.objects.contains { object in
        object.status == .clean && registry.cache.base(of: object)?.hasReadPending == true
      }
      if !isOneWaiting { return }
    }
    for (keys, generation) in committed {
      for key in [keys.inserted, keys.updated].joined() { relabel(key, generation, in: view) }
    }
  }

  private func relabel(_ key: ObjectKey, _ generation: UInt64, in view: ReadView) {
    guard let object = registry.cache.registeredObject(for: key), object.status == .clean,
      object.record != nil
    else { return }
    let isCurrent =
      registry.cache.isCurrent(object) || PlantedFault.relabelTooEarly.isPlanted(in: schema)
    guard isCurrent, view.change(for: key) == nil else {
      noteCommit(beneath: object, with: generation, in: view)
      return
    }
    object.generation = generation
    registry.cache.notePending(nil, of: object)
  }

  /// Bases an object that shows an ancestor's pending change on the commit of that change. Its
  /// record differs from the committed one, so it is outdated.
  private func noteCommit(
    beneath object: ManagedObject, with generation: UInt64, in view: ReadView
  ) {
    guard let base = registry.cache.base(of: object), base.hasReadPending else { return }
    // A record that cannot be read may cause a conflict that need not be; it never hides one.
    let stored = try? view.snapshot.record(for: object.key)
    let became = base.committed(
      with: generation, stored, where: object.binding.entity.hasEqualEdits)
    object.generation = became.generation
    registry.cache.notePending(became, of: object)
  }

  /// Bases unsaved changes that were made from pending changes of ancestors on the commits of
  /// those.
  private func noteCommitsBeneathEdits(
    _ committed: [(keys: ChangedKeys, generation: UInt64)], in view: ReadView
  ) {
    // Insertions have no base: an import of any size is skipped.
    if layer.parent == nil || work.working.segments.allSatisfy(\.changes.isInsertsOnly) { return }
    let resting = work.working.changes.filter { $0.value.base?.hasReadPending == true }
    if resting.isEmpty { return }
    var changes: [ObjectKey: Change] = [:]
    for (keys, generation) in committed {
      for key in keys.inserted + keys.updated {
        guard var change = changes[key] ?? resting[key], let base = change.base,
          let entity = schema.entity(key.entity)
        else { continue }
        // A save under way releases it as it was frozen, or is refused.
        if work.working.isFrozen(key) {
          work.doubt.insert(key)
          continue
        }
        // A record that cannot be read may cause a conflict that need not be; it never hides one.
        let stored = try? view.snapshot.record(for: key)
        change.base = base.committed(with: generation, stored, where: entity.hasEqualEdits)
        changes[key] = change
      }
    }
    if changes.isEmpty { return }
    let segment = Segment(changes: changes, schema: schema)
    work.changeWorking(to: work.working.adding(segment).compacted())
  }

  private func outdate(by events: GatheredEvents) {
    let count = events.keys.reduce(events.suspects.count) { $0 + $1.count }
    // Going through the events must not cost more than reading the cache's objects again.
    guard !events.isUnknown, count <= registry.cache.count * 2 else {
      return registry.cache.outdateAll()
    }
    for keys in events.keys {
      for key in [keys.inserted, keys.updated, keys.deleted].joined() {
        registry.cache.outdate(key)
      }
    }
    for key in events.suspects { registry.cache.outdate(key) }
  }
}
