// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery

/// Deletes objects in the store, without making instances or loading them into a context: any
/// number of objects, in the memory of their IDs. Core Data: `NSBatchDeleteRequest`.
///
///     try coordinator.execute(BatchDeleteRequest(Entry.where { $0.date < limit }))
///
/// It is a save of its own: all objects are deleted or none, others see all of it or nothing, and
/// it is on the disk when the call returns. It has the effects of deleting the objects in a
/// context and saving:
/// - The delete rules hold. Cascades are followed, links to deleted objects are removed, and a
///   `.deny` refuses the whole batch.
/// - Derived attributes of the objects that stay are updated. Relationships that must not be empty,
///   or must have a number of members, are validated if they lose some.
/// - Contexts are notified as of any save: those that merge automatically merge it, fetched lists
///   follow, and a context that has changed a deleted object has a conflict.
///
/// It differs in two points:
/// - It ignores unsaved changes in every context. It finds objects as the store has them.
/// - It calls no methods of the objects: no `prepareForDeletion`, no `validateForDelete`, no
///   `willSave`.
///
/// A request for all objects of an entity, without predicate, limit and offset, frees their pages
/// instead of visiting them, unless the model requires looking at them.
public struct BatchDeleteRequest: Sendable {
  enum Subject: Sendable {
    case matching(UntypedFetchRequest, class: ObjectIdentifier, name: String)
    case objects([ObjectID])
  }

  let subject: Subject

  /// Whether the result has the IDs of the deleted objects. False by default: contexts are notified
  /// without them. Core Data: `resultType`, `.resultTypeObjectIDs`.
  public var returnsObjectIDs = false

  /// The author of the deletion in the store's history; nil for `transactionAuthor` of the context
  /// that executes the request, or for none.
  public var transactionAuthor: String?

  /// Deletes the objects that match a fetch request, as the store has them, its limit and offset
  /// counted in. Core Data: `init(fetchRequest:)`.
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
  /// How many objects are gone, those among them that delete rules took along.
  public let count: Int
  /// The IDs of the objects that are gone, those that delete rules took along included; nil unless
  /// the request asks for them.
  public let objectIDs: [ObjectID]?
}
