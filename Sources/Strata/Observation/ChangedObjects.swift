// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataRecord

/// The objects of a message, by ID, so that they may leave the context.
///
/// The sets are computed at the first use, in time that grows with the number of objects; after
/// that each access is O(1).
public struct ChangedObjects: Sendable {
  let contents: ChangeContents

  package init(
    store: StoreIdentity, inserted: [ObjectKey], updated: [ObjectKey], deleted: [ObjectKey]
  ) {
    contents = ChangeContents(
      .keys(inserted: inserted, updated: updated, deleted: deleted), store: store, schema: nil)
  }

  /// The changes of a turn.
  init(_ turn: TurnChanges, schema: Schema) {
    contents = ChangeContents(.turn(turn), store: schema.store, schema: schema)
  }

  /// The changes of a save.
  ///
  /// - Parameter result: the store's result; nil if the save did not reach the store.
  init(saved: Overlay, _ result: CommitResult?, schema: Schema) {
    contents = ChangeContents(
      .saved(saved, merged: result?.merged ?? [:], derived: result?.derived ?? [:]),
      store: schema.store, schema: schema)
  }

  /// Objects that are new. One that came and went again in one turn is neither here nor in
  /// `deleted`. Core Data: `NSInsertedObjectsKey`.
  public var inserted: Set<ObjectID> { contents.resolved.inserted }

  /// Objects whose values or links have changed, without the new and the deleted ones. Both ends of
  /// an added or removed link are included. Core Data: `NSUpdatedObjectsKey`.
  public var updated: Set<ObjectID> { contents.resolved.updated }

  /// Objects that are deleted. Core Data: `NSDeletedObjectsKey`.
  public var deleted: Set<ObjectID> { contents.resolved.deleted }

  /// Objects that took over other values from the parent or the store, without an edit of their
  /// own. Core Data: `NSRefreshedObjectsKey`.
  public var refreshed: Set<ObjectID> { contents.resolved.refreshed }

  /// Objects that the context has released: after a `reset()`, all that were registered. A program
  /// that holds one holds a detached object; fetch again to show objects. Core Data:
  /// `NSInvalidatedAllObjectsKey`.
  public var invalidated: Set<ObjectID> { contents.resolved.invalidated }

  /// Whether all five sets are empty.
  public var isEmpty: Bool {
    let resolved = contents.resolved
    return resolved.inserted.isEmpty && resolved.updated.isEmpty && resolved.deleted.isEmpty
      && resolved.refreshed.isEmpty && resolved.invalidated.isEmpty
  }

  /// The names of the properties that changed in the object: attributes that were set,
  /// relationships that gained or lost a target. Of a new object, those that have a value.
  ///
  /// - Returns: nil if that is not known, and any property may have changed: of an object that was
  ///   deleted, refreshed, merged, or brought back, and of one that the message does not name.
  public func changedProperties(of id: ObjectID) -> Set<String>? {
    let resolved = contents.resolved
    guard contents.store.has(id), let slots = resolved.slots[id.key],
      resolved.updated.contains(id) || resolved.inserted.contains(id),
      let entity = contents.schema?.entity(id.key.entity)
    else { return nil }
    return Set(slots.map { entity.description.properties[$0].name })
  }

  /// All of it at once.
  var resolved: ChangeContents.Resolved { contents.resolved }

  /// Computes everything and releases the records that it was computed from.
  func resolve() { _ = contents.resolved }
}
