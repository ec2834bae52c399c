// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel

// Merging other contexts' saves on request.
//
// | the object here | the view has it | the view does not |
// | --- | --- | --- |
// | clean | takes the view's record; a fault stays one | is gone |
// | updated | its changed slots over the view's record, a new base | gone, the change dropped |
// | deleted | stays deleted; the base is raised | the deletion is dropped: it has been done |
// | inserted | stays | stays |
// | gone | a fault again | stays |
//
// Links to objects that are gone are dropped, and their delete rules run on unsaved changes here,
// as by a push (Composition). Changes of a save under way are left alone, and merged once that save
// is finished.

extension ManagedObjectContext {
  /// Whether the context automatically merges changes of its ancestors and the store: saves of
  /// siblings, of other topmost contexts, of other coordinators on the same file, and the
  /// ancestors' own changes. False by default. Core Data: `automaticallyMergesChangesFromParent`.
  ///
  /// The merge works as `mergeChanges(fromContextDidSave:)`: unsaved changes are kept, property by
  /// property, over the merged values. It is made when a turn takes its view:
  /// - in a queue's context before the body begins; an event starts a turn by itself;
  /// - in the main actor's context in a job of its own soon after the event, or at the first read
  ///   that needs more than the registered objects, if that comes first;
  /// - in a confined context at the first such read of a turn, and at `processPendingChanges()`.
  ///
  /// Saves of another process are merged in the same way, on Linux at once, elsewhere when a view
  /// is taken. If the store no longer knows which objects they changed, all registered objects are
  /// checked.
  public var automaticallyMergesChangesFromParent: Bool {
    get { merger.isAutomatic }
    set { merger.setAutomatic(newValue) }
  }

  /// Merges another context's save, as far as this context can see it. With a new view, registered
  /// objects take the values that it shows, and unsaved changes stay on top of them, property by
  /// property. Their later save does not conflict with the merged changes. Objects that are gone
  /// read as deleted. Core Data: `mergeChanges(fromContextDidSave:)`.
  ///
  /// objectsDidChange is posted before it returns: with new objects among `inserted`, changed ones
  /// among `refreshed` and those that are gone among `deleted`, whether or not they are registered
  /// here; after it didMerge with the same objects. Objects of another store are skipped, and so
  /// are changes that this context cannot see, because they were saved to a parent that is none of
  /// its ancestors.
  ///
  /// - Throws: `StoreError` if reading fails; nothing has been merged then.
  public func mergeChanges(fromContextDidSave message: Message) throws {
    try mergeChanges(fromRemoteContextSave: message.objects)
  }

  /// Merges the save of a posted notification. Notifications of other senders than contexts are
  /// ignored.
  public func mergeChanges(fromContextDidSave notification: Notification) throws {
    guard let message = Message(notification) else { return }
    try mergeChanges(fromContextDidSave: message)
  }

  /// Merges a save of objects that are known by ID, from another process for example.
  ///
  /// - Throws: as `mergeChanges(fromContextDidSave:)`.
  public func mergeChanges(fromRemoteContextSave objects: ChangedObjects) throws {
    try reporter.throwDeferredError()
    try publisher.merge(
      ChangedKeys(
        inserted: objects.inserted.keys(in: schema.store),
        updated: objects.updated.union(objects.refreshed).keys(in: schema.store),
        deleted: objects.deleted.keys(in: schema.store)))
  }

  /// Merges changes that were saved elsewhere into several contexts, ancestors first, so that their
  /// children merge the merged states. Core Data: `mergeChanges(fromRemoteContextSave:into:)`.
  ///
  /// - Throws: as `mergeChanges(fromContextDidSave:)`, at the first context in which it fails, and
  ///   `CancellationError`; contexts before it have merged.
  public static func mergeChanges(
    fromRemoteContextSave objects: ChangedObjects, into queues: [ContextQueue],
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    for queue in queues.sorted(by: { $0.layer.chain.count < $1.layer.chain.count }) {
      try await queue.perform { try $0.mergeChanges(fromRemoteContextSave: objects) }
    }
  }
}

extension Set<ObjectID> {
  /// The keys of the objects in a store.
  fileprivate func keys(in store: StoreIdentity) -> [ObjectKey] {
    compactMap { store.has($0) ? $0.key : nil }
  }
}

extension ChangedObjects {
  /// Objects by ID, as they come from another process, a server or a list of one's own.
  ///
  /// - Throws: `ContextError.foreignObjectID` for an ID of another store than the others', unless
  ///   the stores can be of one coordinator.
  public init(
    inserted: Set<ObjectID> = [], updated: Set<ObjectID> = [], deleted: Set<ObjectID> = []
  ) throws {
    let all = inserted.union(updated).union(deleted)
    // Nothing at all is of no store.
    let store = StoreIdentity(having: all) ?? all.first?.store ?? StoreIdentity(Self.nowhere)
    if let other = all.first(where: { !store.has($0) }) {
      throw ContextError.foreignObjectID(other)
    }
    self.init(
      store: store, inserted: inserted.map(\.key), updated: updated.map(\.key),
      deleted: deleted.map(\.key))
  }

  private static let nowhere = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
