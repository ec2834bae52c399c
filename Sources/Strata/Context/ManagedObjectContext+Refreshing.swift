// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Bringing objects up to date that are registered already.

extension ManagedObjectContext {
  /// Refreshes one object. Core Data: `refresh(_:mergeChanges:)`.
  ///
  /// The context takes a new view, in every kind of context. With `mergeChanges` the object's
  /// values are read again in it, beneath its unsaved changes; an object that no longer exists is
  /// gone, and so are its changes. Without, its unsaved changes and those of its links are dropped
  /// and it becomes a fault. The objects at the other ends of its relationships are not touched.
  ///
  /// Inserted and deleted objects are left alone. Changes of a save under way stay until that save
  /// is finished; only later changes are dropped, and the object is read again after the save.
  ///
  /// If reading fails, the next call that can throw throws the error; the object is unchanged.
  ///
  /// - Precondition: the object is of this context.
  /// - Complexity: O(unsaved changes of the context).
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    refreshObjects(CollectionOfOne(object), mergeChanges: mergeChanges)
  }

  /// Refreshes several objects, each as `refresh(_:mergeChanges:)` does, and all of
  /// them in one view. Core Data has no equivalent.
  ///
  /// If reading fails, the next call that can throw throws the error; all objects are unchanged.
  ///
  /// - Precondition: the objects are of this context.
  /// - Complexity: O(objects + unsaved changes of the context). One by one, each object would cost
  ///   O(unsaved changes).
  public func refreshObjects(_ objects: some Sequence<some ManagedObject>, mergeChanges: Bool) {
    var refreshed: [ManagedObject] = []
    for object in objects {
      registry.requireOwn(object)
      switch object.status {
      case .inserted, .deleted, .detached: continue
      case .clean, .updated, .gone: refreshed.append(object)
      }
    }
    if refreshed.isEmpty { return }
    if mergeChanges { merger.mergeState(of: refreshed) } else { merger.dropChanges(of: refreshed) }
  }

  /// Takes a fresh view and brings all objects to it, unsaved changes kept: clean objects become
  /// faults. Core Data: `refreshAllObjects()`.
  ///
  /// An error in reading waits for the next call that can throw.
  public func refreshAllObjects() {
    work.encodeEdits()
    work.view = nil
    reporter.attempt {
      let view = try reader.currentView()
      var pending = work.keysOfPending.filter { work.working.kind(of: $0) != .insert }
      for savepoint in work.savepoints {
        pending.formUnion(savepoint.working.changes.lazy.filter { $1.base != nil }.map(\.key))
      }
      var merged = try merger.merge(GatheredEvents(suspects: pending), in: view, isChecked: true)
      for object in registry.cache.objects where object.status == .clean || object.status == .gone {
        if object.record != nil || object.status == .gone {
          merged.refreshed.append(object.key)
        }
        merger.makeFault(object)
      }
      work.obstacles.overtaken = OvertakenEdits()
      work.noteMerge(merged)
      if !reporter.liveResults.isEmpty { reporter.liveResults.noteUnknown() }
      reporter.noteTouched()
    }
  }
}

extension ContextMerger {
  /// Reads objects again in a new view, beneath their unsaved changes.
  func mergeState(of objects: [ManagedObject]) {
    work.encodeEdits()
    work.view = nil
    reporter.attempt {
      let view = try reader.currentView()
      var merged = try merge(
        GatheredEvents(suspects: objects.map(\.key)), in: view, isChecked: true)
      for object in objects {
        work.obstacles.overtaken.forget(object.key)
        if object.isAlive { merged.refreshed.append(object.key) }
      }
      work.noteMerge(merged)
      reporter.noteTouched()
    }
  }

  /// Drops the unsaved changes of objects and of their links, and turns the objects into faults.
  func dropChanges(of objects: [ManagedObject]) {
    let keys = Set(objects.map(\.key))
    work.orderedLists.removeAll()
    work.view = nil
    notifyObservers(ofDroppingLinksOf: keys)
    for object in objects {
      object.draft = nil
      work.obstacles.forget(object.key)
    }
    work.edits.drafted.removeAll { keys.contains($0.key) }
    work.edits.links.filter { place, target, _ in
      !keys.contains(place.owner) && !keys.contains(target)
    }
    let kept = work.working.dropping(keys, schema: schema)
    if !kept.isIdentical(to: work.working) {
      work.changeWorking(to: kept)
    }
    for object in objects {
      if let change = kept.change(for: object.key) {
        // A save is under way with it.
        if let record = change.record { registry.replaceRecord(record, of: object) }
      } else {
        makeFault(object)
      }
    }
    work.noteRefreshed(objects.map(\.key))
    reporter.noteTouched()
  }

  private func notifyObservers(ofDroppingLinksOf keys: Set<ObjectKey>) {
    if registry.isUnobserved { return }
    for var dropped in [work.edits.links, work.working.links] {
      dropped.filter { place, target, _ in keys.contains(place.owner) || keys.contains(target) }
      registry.linksWillChange(dropped)
    }
  }

  /// Releases a clean object's record: the next read loads it from the view.
  func makeFault(_ object: ManagedObject) {
    object.status = .clean
    registry.turnIntoFault(object)
  }
}
