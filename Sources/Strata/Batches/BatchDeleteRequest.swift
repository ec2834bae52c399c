// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery

/// Deletes objects in the store, without making instances or loading them into a context. Only the
/// objects' IDs are in memory. Core Data: `NSBatchDeleteRequest`.
///
///     try coordinator.execute(BatchDeleteRequest(Entry.where { $0.date < limit }))
///
/// A batch delete is a save of its own. It deletes all objects or none, other readers see all of it
/// or nothing, and it is on the disk when the call returns. It has the effects of deleting the
/// objects in a context and saving:
/// - The delete rules hold. Cascades are followed, links to deleted objects are removed, and a
///   `.deny` refuses the whole batch.
/// - Derived attributes of the objects that stay are updated. Relationships that must not be empty,
///   or must have a number of members, are validated if they lose members.
/// - Contexts are notified as of any save. Contexts that merge automatically merge the deletion,
///   fetched lists are updated, and a context that has changed a deleted object has a conflict.
///
/// It differs from a context's save in two points:
/// - It ignores unsaved changes in every context. It finds objects as the store has them.
/// - It calls no methods of the objects: no `prepareForDeletion`, no `validateForDelete`, no
///   `willSave`.
///
/// A request for all objects of an entity, without predicate, limit and offset, frees the pages of
/// the objects without reading the objects, unless the model requires reading them.
public struct BatchDeleteRequest: Sendable {
  enum Subject: Sendable {
    case matching(UntypedFetchRequest, class: ObjectIdentifier, name: String)
    case objects([ObjectID])
  }

  let subject: Subject

  /// Whether the result has the IDs of the deleted objects. False by default; contexts are notified
  /// in either case. Core Data: `resultType`, `.resultTypeObjectIDs`.
  public var returnsObjectIDs = false

  /// The author of the deletion in the store's history. If it is nil, the author is the
  /// `transactionAuthor` of the context that executes the request, if there is one.
  public var transactionAuthor: String?

  /// Deletes the objects that match a fetch request in the store, within its limit and offset.
  /// Core Data: `init(fetchRequest:)`.
  public init<T: Entity>(_ request: FetchRequest<T>) {
    subject = .matching(
      request.untyped, class: ObjectIdentifier(T.self), name: String(describing: T.self))
  }

  /// Deletes the objects with these IDs, of any entities; IDs of objects that no longer exist are
  /// ignored. Core Data: `init(objectIDs:)`.
  public init(objectIDs: [ObjectID]) { subject = .objects(objectIDs) }
}

/// The result of a batch delete. Core Data: `NSBatchDeleteResult`.
public struct BatchDeleteResult: Sendable, Hashable {
  /// How many objects were deleted, including objects that a delete rule deleted.
  public let deletedCount: Int
  /// The IDs of the deleted objects, including objects that a delete rule deleted; nil unless the
  /// request asks for them.
  public let objectIDs: [ObjectID]?
}
