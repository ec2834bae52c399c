// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import StrataChanges

/// A context on the store that records for undo, confined to the test; `endTurn` ends its turns.
func undoableContext(_ container: PersistentContainer) -> ManagedObjectContext {
  let context = ManagedObjectContext.withExplicitTurns(below: container.coordinator)
  context.undoManager = ManagedObjectContext.UndoManager()
  return context
}

extension ManagedObjectContext {
  /// Does `body` in a turn of its own.
  @discardableResult
  func turn<T>(_ body: () throws -> T) rethrows -> T {
    defer { processPendingChanges() }
    return try body()
  }
}
