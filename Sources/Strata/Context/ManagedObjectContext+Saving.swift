// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// A save hands the context's changes one level up: to the parent in memory, or to the store.

extension ManagedObjectContext {
  /// Saves everything unsaved to the parent, one level up. Below another context that is a hand-over
  /// in memory: the parent has the changes as its own unsaved ones, and nothing is durable until the
  /// topmost context saves. At the top it is a durable commit; the call returns when the disk has it.
  /// Core Data: `save()`.
  ///
  /// A save never waits for the parent: if that is busy, the changes are visible to readers at once
  /// and land there after its current turn. A failed save leaves everything unsaved as it was.
  ///
  /// The order: the end of the turn; `willSave` of the objects until it changes nothing more; the
  /// willSave notification; delete rules that deny, and validation; the hand-over or commit, which
  /// finds conflicts; `didSave` of the objects; the didSave notification.
  ///
  /// Rules of the model and the objects' own `validateFor…` are looked at by each save on the way to
  /// the store, for everything that it saves: what comes together in a parent is validated there again.
  ///
  /// - Throws: `ContextError.validationFailed`, `.deleteDenied`, `.endlessWillSave`,
  ///   `.ancestorUnreachable` if the parent context is gone, and `.recursiveSave` from within `willSave`
  ///   and validation; at the top `StoreError`: conflicts, uniqueness violations, a full disk; and any
  ///   error that reading a property met since the last call.
  public func save() throws {
    guard let save = try saving.beginSave(lendingThread: true) else { return }
    save.waitUntilFinished()
    try saving.finish(save)
  }
}
