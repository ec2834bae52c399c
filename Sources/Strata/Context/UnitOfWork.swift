// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// All unsaved changes of one context, and the view of the turn with them on top.
///
/// ```
///   edits ──encodeEdits──► working ──publish──► the layer
///                             └── on top of ──► view
/// ```
///
/// ## Invariants
/// - I1 `working` has all unsaved changes but `edits`; objects with drafts are listed in `edits`.
/// - I2 `view` shows `working` on top of the state beneath the context.
/// - I3 Frozen segments of `working` are those of `pendingSave`.
///
/// ## Isolation
/// The context's.
package final class UnitOfWork {
  let registry: ObjectRegistry
  let reporter: TurnReporter
  let coordinator: PersistentStoreCoordinator

  // Safety: `@exclusivity(unchecked)` spares each edit, end of turn and save its run-time checks.
  // A unit of work is of one isolation, and no access to these runs code that could reach it again.
  /// The unsaved changes, encoded.
  @exclusivity(unchecked) var working = Overlay()
  /// The edits since `working` was encoded.
  @exclusivity(unchecked) var edits = PendingEdits()
  /// The view that this turn reads; nil between turns.
  @exclusivity(unchecked) package var view: ReadView?
  /// The objects whose unsaved changes may not rest on the state beneath the context.
  var doubt = Doubt()
  /// Whether the layer shows `working`.
  @exclusivity(unchecked) var isPublished = true
  /// The ordered relationships that are worked on by index.
  @exclusivity(unchecked) var orderedLists = OrderedLists()
  /// The links to deleted objects that the last queried view had.
  @exclusivity(unchecked) var lostLinks = LostLinks()
  /// The objects whose awake methods run: values that they set are not changes.
  @exclusivity(unchecked) var awaking: [AwakingObject] = []
  /// The savepoints of the `withSavepoint { }` calls that are under way, the outermost first.
  @exclusivity(unchecked) var savepoints: [EditSavepoint] = []
  /// The edits that are not among the unsaved changes.
  @exclusivity(unchecked) var obstacles = SaveObstacles()
  /// Records undoable actions, if undo is on: `undoManager`.
  var undoRecorder: ManagedObjectContext.UndoManager?
  /// The save to the store that is under way, if any.
  @exclusivity(unchecked) var pendingSave: PendingSave?

  package init(
    registry: ObjectRegistry, reporter: TurnReporter, coordinator: PersistentStoreCoordinator
  ) {
    self.registry = registry
    self.reporter = reporter
    self.coordinator = coordinator
  }

  var schema: Schema { registry.schema }

  /// Whether anything is unsaved.
  package var hasChanges: Bool {
    // An object that was inserted and deleted is not a change: encoding finds out.
    encodeEdits()
    return working.hasChanges || !obstacles.refused.isEmpty
  }

  /// Puts drafts of a context that is going under their objects.
  func close() { edits.close() }
}

/// An object whose awake method runs. Its draft has an arena of its own, because the method may
/// fetch, which encodes the edits and frees their arena.
///
/// ## Isolation
/// The context's.
final class AwakingObject {
  let object: ManagedObject
  var drafts = DraftArena()

  init(_ object: ManagedObject) { self.object = object }
}
