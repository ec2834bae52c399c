// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The recording for a context's undo manager. Without one, nothing here runs.

extension ManagedObjectContext.UndoManager {
  /// Records `changes`, which have been composed onto `older`, the working overlay until now.
  func record(_ changes: Segment, over older: Overlay, in work: UnitOfWork) {
    guard isRecording, let group = transitions(of: [(changes, older)], in: work).first else {
      return
    }
    register(group, schema: work.schema)
  }

  /// Records children's saves that are integrated on the working overlay, one group for each.
  ///
  /// - Parameter ground: gives the state beneath the context of the objects of a push.
  func record(
    integrating pushes: [ContextLayer.Push], in work: UnitOfWork,
    on ground: (ContextLayer.Push, Overlay) -> Ground
  ) {
    guard isRecordingIntegrations, !pushes.isEmpty else { return }
    var integrations: [(Segment, Overlay)] = []
    var older = work.working
    for push in pushes {
      let (composed, settled) = Composition.compose(
        pushed: push.segment, onto: older, on: ground(push, older), schema: work.schema)
      integrations.append((composed, older))
      older = settled
    }
    for group in transitions(of: integrations, in: work) {
      register(integrating: group, schema: work.schema)
    }
  }

  /// Records changes, each batch with the changes onto which it was composed. If the former state
  /// cannot be read, the history has a gap: it is discarded, and the next call that can throw
  /// throws the error.
  private func transitions(
    of batches: [(Segment, Overlay)], in work: UnitOfWork
  ) -> [UndoGroup] {
    guard let reader = context?.reader else { return [] }
    var view = work.view
    do {
      return try batches.map { changes, older in
        var group = UndoGroup()
        try group.add(changes, over: older, schema: work.schema) {
          let taken = try view ?? reader.takeView()
          view = taken
          return taken.over(older)
        }
        return group
      }
    } catch {
      work.reporter.note(error)
      removeAllActions()
      return []
    }
  }
}
