// SPDX-License-Identifier: Apache-2.0
import StrataChanges

// A save hands the context's changes one level up: to the parent in memory, or to the store.

extension ManagedObjectContext {
  /// Saves all unsaved changes to the parent, one level up. If the parent is a context, that is a
  /// hand-over in memory: the parent has the changes as its own unsaved ones, and nothing is
  /// durable until the topmost context saves. At the top it is a durable commit; the call returns
  /// when the disk has it. Core Data: `save()`.
  ///
  /// A save never waits for the parent: if the parent is busy, the changes are visible to readers
  /// at once and are integrated after its current turn. Where a merge policy decides on saves to a
  /// parent, a save waits for the disk if another context's `save(to: .store)` is writing the same
  /// objects through that parent. A failed save leaves all unsaved changes in place.
  ///
  /// The order: the end of the turn; `willSave` of the objects until it changes nothing more; the
  /// willSave notification; delete rules that deny, and validation; the hand-over or commit, which
  /// finds conflicts; `didSave` of the objects; the didSave notification.
  ///
  /// Each save on the way to the store checks the model's rules and the objects' own `validateFor…`
  /// for everything that it saves: changes that come together in a parent are validated there
  /// again.
  ///
  /// - Throws: `ContextError.validationFailed`, `.deleteDenied`, `.endlessWillSave`,
  ///   `.ancestorUnreachable` if the parent context is gone; `.recursiveSave` within `willSave` and
  ///   validation; `.endlessDidSave` in the 101st of saves within each other; at the top
  ///   `StoreError`: conflicts, uniqueness violations, a full disk; in a save to a parent that the
  ///   merge policy refuses `StoreError.conflicts` and `.danglingLinks`; `.wouldDeadlock` in code
  ///   that the store's writer calls, if the save would wait for it; and any error of reading a
  ///   property since the last call.
  public func save() throws {
    guard let save = try saving.beginSave(lendingThread: true) else { return }
    save.waitUntilFinished(by: saving.writer)
    try saving.finish(save)
  }

  // MARK: - Through all ancestors to the disk

  /// Saves all unsaved changes, one level up or through all ancestors to the disk, leaving the
  /// actor while others work: while ancestors are busy, and during the write. For contexts of the
  /// main actor, and for confined ones in async code. A body on a queue is synchronous: use
  /// `ContextQueue.save(to:)` there.
  ///
  /// With `.store`, the unsaved changes of this context and of all its ancestors become durable in
  /// one commit, or none of them. Each context in order is entered, prepares its changes, and is
  /// left before the next one is entered; no queue is held while waiting for another, or for the
  /// disk. Before the commit no other context shows them. The ancestors then merge the changes from
  /// below, as another commit.
  ///
  /// If it throws, nothing is saved: all contexts have the unsaved changes that they had, and those
  /// of others can be saved.
  ///
  /// - Throws: `ContextError.ancestorUnreachable`; the errors of `save()`; `AncestorSaveError`, if
  ///   the cause is in an ancestor's own unsaved changes. The task's cancellation does not stop it.
  public func save(
    to destination: SaveDestination, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard destination == .store, layer.parent != nil else {
      return try await saving.save(isolation: isolation)
    }
    let (levels, whole) = (try SavedLevels(from: self), ThroughSave())
    let earlier = try saving.join(whole, level: 0)
    try await levels.save(whole, after: earlier, isolation: isolation)
  }
}
