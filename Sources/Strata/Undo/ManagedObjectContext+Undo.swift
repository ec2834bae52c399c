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
    get { undoRecorder }
    set {
      // What was done so far is the former manager's.
      encodeEdits()
      newValue?.attach(to: self)
      undoRecorder = newValue
    }
  }

  /// Takes back the last group of changes; does nothing without an undo manager.
  /// Core Data: `undo()`. See `UndoManager.undo()`.
  public func undo() { undoRecorder?.undo() }

  /// Does again what the last `undo()` took back; does nothing without an undo manager.
  /// Core Data: `redo()`. See `UndoManager.redo()`.
  public func redo() { undoRecorder?.redo() }

  // MARK: - Recording

  /// Records `changes`, which have been composed onto `older`, the working overlay until now.
  func record(_ changes: Segment, over older: Overlay, by recorder: UndoManager) {
    guard recorder.isRecording, let group = transitions(of: [(changes, older)]).first else {
      return
    }
    recorder.register(group, schema: schema)
  }

  /// Records children's saves that land on the working overlay, one group for each.
  func record(landing pushes: [Layer.Push], by recorder: UndoManager) {
    guard recorder.isRecordingLandings, !pushes.isEmpty else { return }
    var landings: [(Segment, Overlay)] = []
    var older = working
    for push in pushes {
      let composed = Composition.compose(
        pushed: push.segment, onto: older, on: ground(of: push, onto: older), schema: schema)
      landings.append((composed, older))
      older = older.adding(composed)
    }
    for group in transitions(of: landings) { recorder.register(landing: group, schema: schema) }
  }

  /// What changes came to, each batch with what it was composed onto. If what was there before cannot
  /// be read, the past has a hole: all of it is forgotten, and the next call that can throw says why.
  private func transitions(of batches: [(Segment, Overlay)]) -> [UndoGroup] {
    var view = view
    do {
      return try batches.map { changes, older in
        var group = UndoGroup()
        try group.add(changes, over: older, schema: schema) {
          let taken = try view ?? takeView()
          view = taken
          return taken.over(older)
        }
        return group
      }
    } catch {
      if deferredError == nil { deferredError = error }
      undoRecorder?.removeAllActions()
      return []
    }
  }
}
