// SPDX-License-Identifier: Apache-2.0
import StrataChanges

/// What a context was when an `edit { }` began: everything that is brought back if it throws.
///
/// Taking one is cheap: an overlay is a value, and so are the undo groups. What objects held stands
/// in the overlay or is the base of what was changed since.
///
/// ## Isolation
/// The context's.
struct EditSavepoint {
  /// The unsaved changes, encoded.
  var working: Overlay
  /// What the turn had changed and not yet told.
  var turn: TurnChanges
  var undoManager: ManagedObjectContext.UndoManager?
  var undoState: ManagedObjectContext.UndoManager.State?
  /// The save to the store that was under way.
  let pendingSave: PendingSave?
  /// The instances that the context has let go of since: they come back with their objects.
  var detached: [ManagedObject] = []
  /// Whether observers were told of changes since, so that they must be told of their end.
  var isAnnounced = false

  init(_ work: UnitOfWork) {
    working = work.working
    turn = work.reporter.turn
    undoManager = work.undoRecorder
    undoState = work.undoRecorder?.state
    pendingSave = work.pendingSave
  }
}
