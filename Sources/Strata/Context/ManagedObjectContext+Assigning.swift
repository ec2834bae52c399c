// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Has a new object go into one of the coordinator's stores when it is saved. Without it, the
  /// first writable store whose configuration has the entity gets it. Core Data: `assign(_:to:)`.
  ///
  /// The object gets another ID by it, unless it is in that store already: its ID says its store.
  /// So assign it first: in the turn in which it is inserted, before a fetch and before it is
  /// linked. `init(context:in:)` gives it its final ID from birth.
  ///
  /// - Precondition: the object is of this context.
  /// - Throws: `ContextError.cannotAssign`, with the reason; `StoreError.noSuchStore` for a store
  ///   of another coordinator. The object stays as it was.
  /// - Complexity: O(objects that were changed since the last fetch, or in this turn).
  public func assign(_ object: ManagedObject, to store: PersistentStoreCoordinator.Store) throws {
    registry.requireOwn(object)
    try work.assign(object, to: store)
  }
}

extension ManagedObject {
  /// Inserts a new object into `context`, as `init(context:)` does, and into one of several stores.
  /// Core Data: `init(context:)` and `assign(_:to:)`.
  ///
  /// - Precondition: the class is a concrete entity of the context's model.
  /// - Throws: `ContextError.cannotAssign` if the store is read-only, or its configuration does not
  ///   have the entity; `StoreError.noSuchStore` for a store of another coordinator.
  public convenience init(
    context: ManagedObjectContext, in store: PersistentStoreCoordinator.Store
  ) throws {
    self.init(try context.work.initializerForInsert(Self.self, in: store))
    context.work.didInsert(self)
  }
}
