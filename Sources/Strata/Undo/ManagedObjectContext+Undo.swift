// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// What a context records for its undo manager. Without one, nothing here runs.

extension ManagedObjectContext {
  /// Records what is done here, for `undo()`. Nil by default: nothing is recorded and nothing costs
  /// anything. Setting it begins with an empty past. Core Data: `undoManager`.
  ///
  /// - Precondition: a manager is of one context only.
  public var undoManager: UndoManager? {
    get { work.undoRecorder }
    set {
      // What was done so far is the former manager's.
      work.encodeEdits()
      newValue?.attach(to: self)
      work.undoRecorder = newValue
    }
  }

  /// Takes back the last group of changes; does nothing without an undo manager.
  /// Core Data: `undo()`. See `UndoManager.undo()`.
  public func undo() { work.undoRecorder?.undo() }

  /// Does again what the last `undo()` took back; does nothing without an undo manager.
  /// Core Data: `redo()`. See `UndoManager.redo()`.
  public func redo() { work.undoRecorder?.redo() }
}
