// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The state of a context at the beginning of a `withSavepoint { }`, which is restored if the body
/// throws.
///
/// Taking one is cheap: an overlay is a value, and so are the undo groups. The values of objects
/// are in the overlay, or are the base of later changes.
///
/// ## Isolation
/// The context's.
struct EditSavepoint {
  /// The unsaved changes, encoded. A merge raises them onto the state that it brings: a savepoint
  /// takes back no merge.
  var working: Overlay
  /// The values that objects were given and that cannot be stored.
  let refused: [ObjectKey: [Int: ValueRefusal]]
  /// The turn's changes that were not reported yet.
  var turn: TurnChanges
  var undoManager: ManagedObjectContext.UndoManager?
  var undoState: ManagedObjectContext.UndoManager.State?
  /// The save to the store that was under way.
  let pendingSave: PendingSave?
  /// The instances that the context has released since: they are used again if their objects come
  /// back.
  var detached: [ManagedObject] = []
  /// Whether observers were notified of any changes since, so that they must be notified of the
  /// reversal.
  var isAnnounced = false
  /// What observers are to be notified of whether or not the body throws: merges, and the reversals
  /// of inner savepoints.
  var lasting = TurnChanges()

  init(_ work: UnitOfWork) {
    working = work.working
    refused = work.obstacles.refused
    turn = work.reporter.turn
    undoManager = work.undoRecorder
    undoState = work.undoRecorder?.state
    pendingSave = work.pendingSave
  }
}
