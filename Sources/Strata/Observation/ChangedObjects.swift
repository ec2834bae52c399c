// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// Which objects a notification is about, by ID: what may leave the context.
public struct ChangedObjects: Sendable {
  private let store: StoreIdentity
  private let insertedKeys: [ObjectKey]
  private let updatedKeys: [ObjectKey]
  private let deletedKeys: [ObjectKey]
  private let refreshedKeys: [ObjectKey]

  package init(
    store: StoreIdentity, inserted: [ObjectKey], updated: [ObjectKey], deleted: [ObjectKey],
    refreshed: [ObjectKey] = []
  ) {
    self.store = store
    insertedKeys = inserted
    updatedKeys = updated
    deletedKeys = deleted
    refreshedKeys = refreshed
  }

  /// Objects that are new.
  public var inserted: Set<ObjectID> { ids(insertedKeys) }

  /// Objects whose values or links have changed, without the new and the deleted ones.
  public var updated: Set<ObjectID> {
    ids(updatedKeys).subtracting(inserted).subtracting(deleted)
  }

  /// Objects that are deleted.
  public var deleted: Set<ObjectID> { ids(deletedKeys) }

  /// Objects that took over newer values from the parent, without an edit of their own.
  public var refreshed: Set<ObjectID> { ids(refreshedKeys) }

  public var isEmpty: Bool {
    insertedKeys.isEmpty && updatedKeys.isEmpty && deletedKeys.isEmpty && refreshedKeys.isEmpty
  }

  private func ids(_ keys: [ObjectKey]) -> Set<ObjectID> {
    Set(keys.map { ObjectID(store: store, key: $0) })
  }
}
