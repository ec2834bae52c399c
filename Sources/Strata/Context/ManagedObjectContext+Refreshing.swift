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
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    registry.requireOwn(object)
    guard object.status != .inserted, object.status != .deleted, object.status != .detached else {
      return
    }
    if !mergeChanges { return dropChanges(of: object) }
    work.encodeEdits()
    work.view = nil
    reporter.attempt {
      let view = try reader.currentView()
      var merged = try merger.merge(
        GatheredEvents(suspects: [object.key]), in: view, isChecked: true)
      if object.isAlive { merged.refreshed.append(object.key) }
      work.noteMerge(merged)
      reporter.noteTouched()
    }
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
      let pending = work.keysOfPending.filter { work.working.kind(of: $0) != .insert }
      var merged = try merger.merge(GatheredEvents(suspects: pending), in: view, isChecked: true)
      for object in registry.cache.objects where object.status == .clean || object.status == .gone {
        if object.record != nil || object.status == .gone {
          merged.refreshed.append(object.key)
        }
        makeFault(object)
      }
      work.noteMerge(merged)
      if !reporter.liveResults.isEmpty { reporter.liveResults.noteUnknown() }
      reporter.noteTouched()
    }
  }

  private func dropChanges(of object: ManagedObject) {
    let key = object.key
    work.orderedLists.removeAll()
    work.view = nil
    if object.draft != nil {
      object.draft = nil
      work.edits.drafted.removeAll { $0 === object }
    }
    work.refused[key] = nil
    work.edits.links.filter { place, target, _ in place.owner != key && target != key }
    let kept = work.working.dropping([key], schema: schema)
    if !kept.isIdentical(to: work.working) {
      work.changeWorking(to: kept)
    }
    if let change = kept.change(for: key) {
      // A save is under way with it.
      if let record = change.record { registry.replaceRecord(record, of: object) }
    } else {
      makeFault(object)
    }
    work.noteRefreshed(key)
    reporter.noteTouched()
  }

  /// Releases a clean object's record: the next read loads it from the view.
  private func makeFault(_ object: ManagedObject) {
    object.status = .clean
    registry.turnIntoFault(object)
  }
}
