// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// A stretch of edits that is done as a whole or not at all.

extension ManagedObjectContext {
  /// Runs `body`; if it throws, everything that it did here is taken back: values, insertions,
  /// deletions with what their delete rules did, links, and what was recorded for undo. What was
  /// unsaved before stays as it was.
  ///
  /// ```swift
  /// try context.edit {
  ///   for row in rows { try City(in: context).read(row) }  // all of the rows or none
  /// }
  /// ```
  ///
  /// It is no turn and no save: when it returns, what the body did is unsaved like any edit, and
  /// children see it at the end of the turn. Edits nest; an inner one that throws takes back its own
  /// part. Within the body
  /// - nothing is published and no child's save lands unless the body uses a child, and `processPendingChanges()` waits for the
  ///   end: the saves are visible to readers at once as always, and land after;
  /// - `save()`, `rollback()` and `reset()` are final: a throw takes back what was done after them;
  /// - `undo()` and `redo()` are edits, and are taken back too;
  /// - a child that is used inside the body has the work so far published, and its save is taken back
  ///   with the rest. The child has handed its changes over: its objects are clean, and keep their
  ///   values until they are refreshed or fetched again.
  ///
  /// Objects that were inserted in the body are detached, as after `rollback()`.
  /// Core Data has no such thing: nearest is a child context that is thrown away.
  ///
  /// - Throws: what the body throws.
  public func edit<T>(_ body: () throws -> T) rethrows -> T {
    work.encodeEdits()
    work.savepoints.append(EditSavepoint(work))
    defer { if work.savepoints.isEmpty { merger.ringIfOwed() } }
    do {
      let result = try body()
      let finished = work.savepoints.removeLast()
      if !work.savepoints.isEmpty {
        work.savepoints[work.savepoints.count - 1].detached += finished.detached
        if finished.isAnnounced { work.savepoints[work.savepoints.count - 1].isAnnounced = true }
      }
      reporter.noteTouched()
      return result
    } catch {
      work.revert(to: work.savepoints.removeLast())
      reporter.noteTouched()
      throw error
    }
  }
}
