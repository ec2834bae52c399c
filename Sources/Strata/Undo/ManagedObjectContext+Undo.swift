// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The recording for a context's undo manager. Without one, nothing here runs.

extension ManagedObjectContext {
  /// Records the changes made here, for `undo()`. Nil by default: nothing is recorded at no cost. A
  /// new manager begins with an empty history. Core Data: `undoManager`.
  ///
  /// - Precondition: a manager is of one context only.
  public var undoManager: UndoManager? {
    get { work.undoRecorder }
    set {
      // The changes so far belong to the former manager.
      work.encodeEdits()
      newValue?.attach(to: self)
      work.undoRecorder = newValue
    }
  }

  /// Takes back the last group of changes; does nothing without an undo manager.
  /// Core Data: `undo()`. See `UndoManager.undo()`.
  public func undo() { work.undoRecorder?.undo() }

  /// Repeats the changes that the last `undo()` reverted; does nothing without an undo manager.
  /// Core Data: `redo()`. See `UndoManager.redo()`.
  public func redo() { work.undoRecorder?.redo() }
}
