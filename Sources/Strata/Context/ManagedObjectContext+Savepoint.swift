// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Edits that are made as a whole or not at all: `withSavepoint`.

extension ManagedObjectContext {
  /// A stack of 512 KiB has room for this number of calls within each other.
  private static let savepointCountMax = 256

  /// Runs `body`; if it throws, all of its changes are reverted: values, insertions, deletions with
  /// the effects of their delete rules, links, and recorded undo actions. Earlier unsaved changes
  /// stay.
  ///
  /// ```swift
  /// try context.withSavepoint {
  ///   for row in rows { try City(context: context).read(row) }  // all of the rows or none
  /// }
  /// ```
  ///
  /// A savepoint neither ends the turn nor saves. Its changes are unsaved like any edit, and
  /// children see them at the end of the turn. Savepoints nest: an inner one that throws reverts
  /// only its own changes. Within the body:
  /// - Nothing is published unless the body uses a child, and `processPendingChanges()` has its
  ///   effect after the body. A child's save is visible to readers at once, and is integrated after
  ///   the body.
  /// - If the body uses a child, the changes so far are published and observers are notified. A
  ///   save of that child is reverted with the rest, and observers are notified of the reversal.
  ///   The child has handed its changes over: its objects are clean, and keep their values until
  ///   they are refreshed or fetched again.
  /// - `save()`, `rollback()` and `reset()` are final: a throw reverts only later changes.
  /// - `undo()` and `redo()` are edits, and are reverted too.
  /// - Merges and refreshes bring objects up to date for good: a throw restores earlier unsaved
  ///   changes over the newer state, and objects that are gone stay gone. Changes that
  ///   `refresh(_:mergeChanges:)` has dropped come back.
  ///
  /// Objects that were inserted in the body are detached, as after `rollback()`. Core Data has no
  /// equivalent; the nearest is a child context that is discarded.
  ///
  /// - Throws: the body's errors; `ContextError.tooManySavepoints` if 256 savepoints are under way,
  ///   and then the body is not called.
  public func withSavepoint<T>(_ body: () throws -> T) throws -> T {
    guard work.savepoints.count < Self.savepointCountMax else {
      throw ContextError.tooManySavepoints
    }
    work.encodeEdits()
    work.savepoints.append(EditSavepoint(work))
    defer { merger.scheduleMergeIfNeeded() }
    do {
      let result = try body()
      let finished = work.savepoints.removeLast()
      if !work.savepoints.isEmpty {
        work.savepoints[work.savepoints.count - 1].detached += finished.detached
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
