// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

/// An operation of a context failed. The store throws `StoreError`, a fetch request `QueryError`.
public enum ContextError: Error, Sendable, Hashable {
  // MARK: Finding objects

  /// No such object: it was never saved where this context can see it, or it was deleted.
  case objectNotFound(ObjectID)
  /// The object is of another entity than the one that was asked for.
  case unexpectedEntity(ObjectID, expected: String, found: String)
  /// The ID is of an object in another store than this context's.
  case foreignObjectID(ObjectID)
  /// The class or the name is not an entity of the context's model, or an abstract one that is to
  /// be inserted: name the class in `ManagedObjectModel(…)`, or correct the name.
  case unknownEntity(String)

  /// No two objects of the entity are kept from having these values, so there may be more than one:
  /// make the attribute `.unique`, or the properties `uniqueTogether`.
  case noUniquenessConstraint(entity: String, properties: [String])

  // MARK: Several stores

  /// An object of the entity cannot be assigned to the store of this name. The object stays as it
  /// was.
  case cannotAssign(entity: String, store: String, AssignmentRefusal)

  // MARK: Saving

  /// Objects were deleted that others are linked to by a relationship with the delete rule `.deny`:
  /// unlink or delete those first.
  case deleteDenied([DeniedDelete])
  /// Objects break rules of the model, or their `validateForInsert`, `validateForUpdate` or
  /// `validateForDelete` has refused: all that there are, by object. Mend them and save again.
  case validationFailed([ValidationFailure])
  /// The objects' `willSave` changes something each time that it is called: set a value only if it
  /// differs.
  case endlessWillSave([ObjectID])
  /// A `willSave` method, an observer of the willSave notification or a `validateFor…` method saves
  /// the context itself.
  case recursiveSave
  /// A `didSave` method, or an observer of the didSave notification, saves the context again, and
  /// each of those saves does so too: this save would be the 101st within the others. Nothing of it
  /// was saved. Save only if there is something new to save.
  case endlessDidSave
  /// The calls of `withSavepoint` that are under way within each other are 256, which is the limit.
  /// The body was not called. End the outer ones first, or use a loop in place of recursion.
  case tooManySavepoints

  /// A context above this one cannot be entered from here: it is confined to another isolation, or
  /// it was released. Nothing was saved. `level` counts from 1, the parent. If `save()` throws it,
  /// the parent was released: keep the container or the parent context. If `save(to: .store)`
  /// throws it, save level by level, or make that context a `ContextQueue` and keep it.
  case ancestorUnreachable(level: Int)

  // MARK: Query generations

  /// The token is of a context that has another parent or another store.
  case foreignQueryGeneration

  // MARK: Fetched results

  /// A list is to have sections by a property of its objects, and its fetch request does not sort
  /// by that first: add it as the first sort key.
  case unsortedSections(entity: String, property: String)
  /// The objects of a section are not contiguous in the order of the fetch request: this object
  /// (nil if it is unknown) is separated from others of its section by another section's. Sort so
  /// that all objects with one name from `sectionName` are contiguous.
  case interleavedSections(ObjectID?)
  /// The context of a fetched results controller is gone.
  case contextGone

  // MARK: Waiting

  /// The call would wait for a queue whose holder waits, through others, for this thread: a
  /// deadlock. Call in one order everywhere, or use `await perform`.
  case wouldDeadlock
  /// The context would never merge the save that is waited for, because it does not merge
  /// automatically: set `automaticallyMergesChangesFromParent`, or merge the save yourself.
  case notMergingAutomatically
  /// The context would not merge the save that is waited for, because it or one of its ancestors is
  /// pinned to a query generation: call `setQueryGeneration(from: nil)` first.
  case pinnedToQueryGeneration

  /// Why an object cannot be assigned to a store.
  public enum AssignmentRefusal: Sendable, Hashable {
    /// The object was saved, to a parent or to a store, or it was deleted. An object stays in its
    /// store: insert a copy, and delete the object.
    case notNew
    /// A fetch or the end of the turn has shown the object under its ID since it was inserted.
    /// Assign it first, or use `init(context:in:)`.
    case turnEnded
    /// Relationships of the object were set. Assign it first, or use `init(context:in:)`.
    case linked
    /// The store was opened read-only.
    case readOnly
    /// The entity is not in the store's configuration.
    case notConfigured
  }

  /// An object that may not be deleted, and the relationship that says so.
  public struct DeniedDelete: Sendable, Hashable {
    /// The object that was to be deleted.
    public let objectID: ObjectID
    /// The name of the object's entity.
    public let entity: String
    /// The name of the relationship.
    public let property: String

    package init(objectID: ObjectID, entity: String, property: String) {
      self.objectID = objectID
      self.entity = entity
      self.property = property
    }
  }
}

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension ContextError: LocalizedError, CustomStringConvertible, ExplainedError {}
