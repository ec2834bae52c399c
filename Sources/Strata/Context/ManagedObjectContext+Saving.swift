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
  /// at once and are integrated after its current turn. A failed save leaves all unsaved changes in
  /// place.
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
  ///   `StoreError`: conflicts, uniqueness violations, a full disk; and any error of reading a
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
  /// With `.store`, each ancestor in order is entered, saves all of its changes, and is left before
  /// the next one is entered; no queue is held while waiting for another. Others may save in
  /// between, and their changes are saved along.
  ///
  /// - Throws: before anything is saved, `ContextError.ancestorUnreachable`; the errors of
  ///   `save()`, if this context's own save fails; `AncestorSaveError`, if an ancestor's save
  ///   fails: everything below it has been saved to it. The task's cancellation does not stop it.
  public func save(
    to destination: SaveDestination, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    var parents: [ManagedObjectContext] = []
    var savers: [ContextLayer.Saver] = []
    if destination == .store {
      var context = self
      while let parent = context.reader.sameIsolationParent {
        parents.append(parent)
        context = parent
      }
      savers = try context.layer.ancestorSavers(below: parents.count)
    }
    try await saving.save(isolation: isolation)
    for (index, parent) in parents.enumerated() {
      try await parent.save(atLevel: index + 1, isolation: isolation)
    }
    for (index, save) in savers.enumerated() { try await save(parents.count + index + 1) }
  }

  /// Saves the context for a descendant that is `level` levels below.
  ///
  /// - Throws: `AncestorSaveError`.
  func save(atLevel level: Int, isolation: isolated (any Actor)?) async throws {
    do { try await saving.save(isolation: isolation) } catch {
      throw AncestorSaveError(level: level, contextName: reporter.name, underlyingError: error)
    }
  }
}

extension ContextLayer {
  /// The ways to save this layer's ancestors, the parent first.
  ///
  /// - Parameter levelCount: the number of levels between the context that is saved and this layer.
  /// - Throws: `ContextError.ancestorUnreachable`.
  func ancestorSavers(below levelCount: Int = 0) throws(ContextError) -> [Saver] {
    var savers: [Saver] = []
    var next = parent
    while let layer = next {
      guard let saver = layer.saver else {
        throw .ancestorUnreachable(level: levelCount + savers.count + 1)
      }
      savers.append(saver)
      next = layer.parent
    }
    return savers
  }
}
