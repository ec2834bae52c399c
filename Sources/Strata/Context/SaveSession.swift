// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// Saves one context: prepares its unsaved changes, and hands them one level up, to the parent in
/// memory or to the store.
///
/// ## Isolation
/// The context's.
final class SaveSession: ContextPart {
  let publisher: TurnPublisher
  let deletion: DeletionEditor
  var reader: ContextReader { publisher.reader }
  var loader: ObjectLoader { deletion.loader }
  var merger: ContextMerger { publisher.merger }

  /// A save's decision on objects that others have changed since they were read.
  var mergePolicy: MergePolicy
  /// The calls for the save that is being prepared, or nil.
  var preparation: SavePreparation?
  /// How many saves are calling `didSave` and the observers of the didSave notification, each of
  /// them in a call of the one before.
  private var didSaveDepth = 0
  /// The maximum of that: another save would need a stack without a limit.
  private static let didSaveDepthMax = 100
  /// The save that is being begun, if an instrument observes it.
  var operation: (any OperationInProgress)?
  /// Compares values with the rules of the model.
  var ruleChecker = RuleChecker()

  init(_ publisher: TurnPublisher, _ deletion: DeletionEditor) {
    self.publisher = publisher
    self.deletion = deletion
    mergePolicy = publisher.layer.parent == nil ? .error : .mergeByPropertyObjectTrump
  }

  /// Begins a save: a hand-over to a parent context is done on return.
  ///
  /// - Parameter lendsThread: whether the caller only waits for the save. Then its thread may write
  ///   it before this returns.
  /// - Returns: the save to the store to wait for and to finish, or nil.
  func beginSave(lendingThread lendsThread: Bool = false) throws -> PendingSave? {
    try observed { try handOn(lendingThread: lendsThread) }
  }

  private func handOn(lendingThread lendsThread: Bool) throws -> PendingSave? {
    try whenPrepared {
      guard work.hasChanges || work.working.hasReadLocks else {
        endUnchanged()
        return nil
      }
      if layer.parent != nil {
        try pushToParent()
        return nil
      }
      return try commitToStore(lendingThread: lendsThread)
    }
  }

  /// Ends a save without changes.
  func endUnchanged() {
    work.moveSavepoints()
    work.view = nil
  }

  /// Ends the turn, prepares all unsaved changes, and calls `handOn` with them.
  func whenPrepared(_ handOn: () throws -> PendingSave?) throws -> PendingSave? {
    if preparation?.isInCallback == true { throw ContextError.recursiveSave }
    if didSaveDepth == Self.didSaveDepthMax { throw ContextError.endlessDidSave }
    try reporter.throwDeferredError()
    work.encodeEdits()
    try finishPendingSave()
    publisher.announceTurn()
    let outer = preparation
    preparation = SavePreparation()
    defer { preparation = outer }
    do {
      // With the changes of `willSave`, the turn is one undo group, also if the save is refused.
      defer { work.undoRecorder?.endTurn() }
      try prepareToSave()
    }
    return try handOn()
  }

  /// The writer to which saves of a topmost context go.
  var writer: StoreWriter { StoreWriter(store: coordinator.store) }

  /// Waits for the save under way, if any, and finishes it; its caller gets the result. One that
  /// waits for an ancestor is withdrawn, and begins again: the ancestor may wait for this context.
  ///
  /// - Throws: `StoreError.wouldDeadlock` in code that the writer calls.
  func finishPendingSave() throws {
    guard let pendingSave = work.pendingSave else { return }
    pendingSave.withdraw()
    if !pendingSave.isFinished { try writer.checkIsElsewhere() }
    pendingSave.waitUntilFinished(by: writer)
    try? finish(pendingSave)
  }

  /// Ends a save that has succeeded, once the context's state is consistent: calls `didSave`,
  /// detaches deleted objects, and posts the notification.
  ///
  /// - Parameters:
  ///   - saved: the changes that were saved.
  ///   - result: the result of a save to the store; nil for a save to a parent context.
  ///   - objects: the saved objects that have `didSave`.
  ///   - gone: the deleted objects.
  func concludeSave(
    of saved: Overlay, _ result: CommitResult? = nil, callingDidSaveOf objects: [ManagedObject],
    detaching gone: [ManagedObject]
  ) {
    reporter.turnStart = work.working
    didSaveDepth += 1
    defer { didSaveDepth -= 1 }
    for object in objects { object.didSave() }
    for object in gone { work.detach(object) }
    registry.turnLeavingIntoFaults()
    reporter.post(.didSave, ChangedObjects(saved: saved, result, schema: schema))
  }
}
