// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataPrimitives

// MARK: - In words. No values of the user's objects appear in them.

extension ContextError {
  package var explanation: ErrorExplanation {
    switch self {
    // MARK: Finding objects
    case .objectNotFound(let id):
      ErrorExplanation(
        "There is no \(id.named).",
        because: "It was deleted, or it was not saved to a parent of this context.",
        remedy: "Save it to a parent of this context first, or go on without it.")
    case .unexpectedEntity(let id, let expected, let found):
      ErrorExplanation(
        "The object \(id) is not of type \(expected).", because: "It is of the entity \(found).",
        remedy: "Ask for a \(found).")
    case .foreignObjectID(let id):
      ErrorExplanation(
        "The \(id.named) cannot be used in this context.",
        because: "It belongs to another store than the context.",
        remedy: "Use an ID of the context's own store.")
    case .unknownEntity(let name):
      ErrorExplanation(
        "The model has no entity \(name) that fits.",
        because: "The name is not in the model, or the entity is abstract and has no objects.",
        remedy: "Add \(name).self to ManagedObjectModel(…), or correct the name.")
    case .noUniquenessConstraint(let entity, let properties):
      ErrorExplanation(
        "The \(Self.list(properties)) of \(entity) cannot identify an object.",
        because: "The entity has no uniqueness constraint on \(Self.list(properties)), so several "
          + "objects may have the same values.",
        remedy: "Mark one attribute .unique, or several properties as uniqueTogether.")

    // MARK: Several stores
    case .cannotAssign(let entity, let store, let refusal):
      ErrorExplanation(
        "The \(entity) was not assigned to the store \(store).", because: refusal.reason,
        remedy: refusal.remedy)

    // MARK: Saving
    case .deleteDenied(let denied):
      ErrorExplanation(
        "The deletion was refused.",
        because: ErrorExplanation.sentences(
          denied.map {
            "The delete rule of \($0.entity).\($0.property) denies it while \($0.objectID) has "
              + "objects there."
          }),
        remedy: "Unlink or delete the related objects first.")
    case .validationFailed(let failures):
      ErrorExplanation(
        "The changes were not saved.",
        because: "There \(failures.count == 1 ? "is" : "are") "
          + "\(ErrorExplanation.count(failures.count, "failure")) of validation. "
          + ErrorExplanation.sentences(failures.map(\.description)),
        remedy: "Correct the values, and save again.")
    case .endlessWillSave(let ids):
      ErrorExplanation(
        "The changes were not saved.",
        because: "Each call of willSave changes something: of "
          + ErrorExplanation.names(ids.map(\.named)) + ".",
        remedy: "Set a value in willSave only if it differs.")
    case .recursiveSave:
      ErrorExplanation(
        "The changes were not saved.",
        because: "The save was called from willSave or validation of the same context.",
        remedy: "Save after the first save has ended.")
    case .endlessDidSave:
      ErrorExplanation(
        "The changes were not saved.",
        because: "Each of 100 saves was called from didSave, or from an observer of the "
          + "notification, of the one before.",
        remedy: "Save there only if there is something new to save.")
    case .tooManySavepoints:
      ErrorExplanation(
        "The savepoint did not begin.",
        because: "There are 256 savepoints within each other, which is the limit.",
        remedy: "End the outer ones first, or use a loop in place of recursion.")
    case .ancestorUnreachable(let level):
      ErrorExplanation(
        "Nothing was saved.",
        because: "The context \(level) above this one cannot be entered from here: it is confined, "
          + "or it was released.",
        remedy: "Save level by level, or make that context a ContextQueue and keep it.")

    // MARK: Query generations
    case .foreignQueryGeneration:
      ErrorExplanation(
        "The query generation cannot be used in this context.",
        because: "It is of a context that has another parent or another store.",
        remedy: "Take the token from a context with the same parent.")

    // MARK: Fetched results
    case .unsortedSections(let entity, let property):
      ErrorExplanation(
        "The list cannot have sections by \(entity).\(property).",
        because: "Its request does not sort by that property first.",
        remedy: "Add \(property) as the first sort key.")
    case .interleavedSections(let id):
      ErrorExplanation(
        "The list cannot have these sections.",
        because: "The objects of a section are not contiguous"
          + (id.map { ": another section is before \($0.named)." } ?? "."),
        remedy: "Sort so that objects with one section name follow each other.")
    case .contextGone:
      ErrorExplanation(
        "The list cannot be used any more.", because: "Its context was released.",
        remedy: "Keep the context as long as the list.")

    // MARK: Waiting
    case .wouldDeadlock:
      ErrorExplanation(
        "The call was refused, because it would never end.",
        because: "It would wait for a context whose holder waits for this thread.",
        remedy: "Enter contexts in one order everywhere, or use await perform.")
    case .notMergingAutomatically:
      ErrorExplanation(
        "The context will not merge the save.",
        because: "It does not merge automatically, so it keeps the values of loaded objects.",
        remedy: "Set automaticallyMergesChangesFromParent, or call mergeChanges.")
    case .pinnedToQueryGeneration:
      ErrorExplanation(
        "The context will not merge the save.",
        because: "It, or a context above it, is pinned to a query generation.",
        remedy: "Call setQueryGeneration(from: nil) there before you wait.")
    }
  }

  private static func list(_ properties: [String]) -> String {
    properties.joined(separator: " and ")
  }
}

extension ContextError.AssignmentRefusal {
  fileprivate var reason: String {
    switch self {
    case .notNew: "It was saved or deleted, and an object stays in its store."
    case .turnEnded: "A fetch or the end of the turn has shown it under its ID."
    case .linked: "Its relationships were set."
    case .readOnly: "The store was opened read-only."
    case .notConfigured: "The configuration of the store does not have the entity."
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .notNew: "Insert a copy into the store, and delete the object."
    case .turnEnded, .linked: "Assign it first, or use init(context:in:)."
    case .readOnly: "Choose another store, or open this one for writing."
    case .notConfigured: "Choose another store, or add the entity to its configuration."
    }
  }
}
