// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery

/// Objects to be deleted in the store, without a context that makes or holds them: as many as there are,
/// in the memory of their IDs. Core Data: `NSBatchDeleteRequest`.
///
///     try coordinator.execute(BatchDeleteRequest(Entry.where { $0.date < limit }))
///
/// It is one save of its own: all is deleted or nothing, others see all of it or nothing, and it is on
/// the disk when the call returns. What it leaves behind is what deleting the objects in a context and
/// saving that would:
/// - The delete rules hold. Cascades are followed, links to what is gone are taken away, and a `.deny`
///   refuses the whole batch.
/// - Derived attributes of the objects that stay are brought up to date. Relationships that must not be
///   empty, or must have a number of members, are looked at where they lose some.
/// - Contexts learn of it as of any save: those that merge automatically merge it, fetched lists follow,
///   and who has changed an object that is gone has a conflict.
///
/// It differs in what it takes no notice of:
/// - What is unsaved, in whatever context. It finds objects as the store has them.
/// - The objects' own methods: no `prepareForDeletion`, no `validateForDelete`, no `willSave` is called.
///
/// A request for all objects of an entity, without predicate, limit and offset, frees the pages that they
/// lie in instead of visiting them, unless something in the model needs a look at them.
public struct BatchDeleteRequest: Sendable {
  enum Subject: Sendable {
    case matching(UntypedFetchRequest, class: ObjectIdentifier, name: String)
    case objects([ObjectID])
  }

  let subject: Subject

  /// Whether the result has the IDs of the objects that are gone. False by default: whoever needs them
  /// to tell contexts does not need them here. Core Data: `resultType`, `.resultTypeObjectIDs`.
  public var returnsObjectIDs = false

  /// Deletes the objects that match a fetch request, as the store has them, its limit and offset counted
  /// in. Core Data: `init(fetchRequest:)`.
  public init<T: Entity>(_ request: FetchRequest<T>) {
    subject = .matching(
      request.untyped, class: ObjectIdentifier(T.self), name: String(describing: T.self))
  }

  /// Deletes the objects with these IDs, of whatever entities; those that are gone already are passed
  /// over. Core Data: `init(objectIDs:)`.
  public init(objectIDs: [ObjectID]) { subject = .objects(objectIDs) }
}

/// What a batch delete has done. Core Data: `NSBatchDeleteResult`.
public struct BatchDeleteResult: Sendable, Hashable {
  /// How many objects are gone, those among them that delete rules took along.
  public let count: Int
  /// The IDs of the objects that are gone, those that delete rules took along included; nil unless the
  /// request asks for them.
  public let objectIDs: [ObjectID]?
}

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
  /// How many objects are deleted.
  public let completedCount: Int
  /// How many there are to delete.
  public let objectCount: Int
}
