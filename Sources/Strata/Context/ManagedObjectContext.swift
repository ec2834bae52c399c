// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
import StrataModel
import StrataRecord

/// A scratchpad over its parent: objects are inserted, fetched, changed and deleted here, and no
/// other context sees these changes until a save. Core Data: `NSManagedObjectContext`.
///
/// The parent of a context is another context or the store. A context reads through its ancestors'
/// published layers and the store's snapshot, never waiting for any of them; `save()` hands its
/// changes to the parent, one level up.
///
/// ## Isolation
/// A context is not `Sendable`, and neither are its objects: both are used only where the context
/// was made, and the compiler checks it. There are four kinds:
/// - a `ContextQueue` owns one and lends it to the bodies of `perform` and `performAndWait`;
/// - `container.viewContext` belongs to the main actor;
/// - a `ContextActor` has one of its own, in the actor's isolation;
/// - `ManagedObjectContext(parent:)` makes one that is confined to the isolation that made it.
///
/// ## Turns
/// Other contexts see all changes between two ends of turn, or none. A queue's turn ends with its
/// block; the main actor's, when a job that the first access enqueued runs; a `ContextActor`'s,
/// where its code returns or suspends; a confined context's, at `processPendingChanges()`, at
/// `save()`, and before each fetch, count, `existingObject`, `performFetch` and `explain`. Making
/// or using a child inside a turn of its parent ends that turn. All reads of a turn use one view; a
/// save and a refresh begin a new one.
///
/// ## Lifetime
/// A context keeps its parent alive, and with that all its ancestors. A context that is made from
/// the `layer` of a confined context does not keep that context, which must be released in its own
/// isolation. Objects do not keep their context alive. An object that outlives it keeps the loaded
/// attributes, and stops the program if it needs the context: to load its values, for a
/// relationship, to be changed.
public final class ManagedObjectContext {
  /// How the ends of a context's turns come about.
  package enum Confinement: Sendable {
    case queue, mainActor, confined
  }

  /// Keeps the parent context alive. Letting go of it is allowed in any isolation.
  private var parentKeeper: AnyObject?

  /// The parent of this context's children, and the subject of its notifications. `Sendable`: it
  /// may be passed to any isolation to make a child there.
  public let layer: ContextLayer

  /// The program's own values, for all users of the context; Strata ignores them. Core Data:
  /// `userInfo`.
  public var userInfo: [String: Any] = [:]

  // MARK: Parts, each of which refers only to those above it

  // The context is a facade over its parts, each of which has its own file, invariants and tests.
  // Each part is made from the parts that it needs, in this order:
  //
  // | part | has |
  // | --- | --- |
  // | `registry` | the instances, and the observers of their properties |
  // | `reporter` | the turn's changes, messages, lists that follow the context |
  // | `work` | all unsaved changes, and the turn's view with them on top |
  // | `reader` | taking views, the positions in the feeds, the pin |
  // | `loader` | making objects for keys, and faulting |
  // | `merger` | merging others' changes |
  // | `publisher` | the ends of turns |
  // | `relationships`, `deletion` | edits of more than one object |
  // | `saving` | the save that is being prepared or under way |
  // | `fetcher` | plans of requests, and the views that execute them |

  package let registry: ObjectRegistry
  package let reporter: TurnReporter
  let work: UnitOfWork
  let reader: ContextReader
  let loader: ObjectLoader
  let merger: ContextMerger
  let publisher: TurnPublisher
  let relationships: RelationshipEditor
  let deletion: DeletionEditor
  let saving: SaveSession
  let fetcher: ObjectFetcher

  /// Makes a context below `parent`, confined to the current isolation.
  ///
  /// The context reads the published changes of `parent`. Its turn ends at
  /// `processPendingChanges()`, at `save()`, and before each fetch, count, `existingObject`,
  /// `performFetch` and `explain`. A context that is not used for a while prevents the store from
  /// reusing old pages, unless `processPendingChanges()` was the last call.
  public convenience init(parent: some ContextParent) {
    self.init(place: parent.place, confinement: .confined, sameIsolationParent: nil)
  }

  /// Makes a context below `parent` in the same isolation. Each read and save of it ends the
  /// parent's turn first: the parent's changes so far are published, and this context reads them.
  /// Its saves are integrated into the parent at once.
  public convenience init(parent: ManagedObjectContext) {
    self.init(
      place: parent.layer.place, confinement: .confined, sameIsolationParent: parent)
    // The changes of farther ancestors are published when this context first reads.
    parent.publisher.endOwnTurnForChild()
  }

  package init(
    place: _ContextPlace, confinement: Confinement, sameIsolationParent: ManagedObjectContext?
  ) {
    let coordinator = place.coordinator
    let schema = coordinator.schema
    parentKeeper = sameIsolationParent ?? place.keeper
    layer = ContextLayer(parent: place.layer, lock: coordinator.layerLock, source: coordinator)
    registry = ObjectRegistry(schema: schema, byteBudget: Self.defaultCacheByteBudget)
    reporter = TurnReporter(schema: schema, layer: layer, confinement: confinement)
    work = UnitOfWork(registry: registry, reporter: reporter, coordinator: coordinator)
    reader = ContextReader(
      work, layer: layer, coordinator: coordinator, sameIsolationParent: sameIsolationParent)
    loader = ObjectLoader(reader)
    merger = ContextMerger(reader, loader)
    publisher = TurnPublisher(reader, merger)
    relationships = RelationshipEditor(loader)
    deletion = DeletionEditor(relationships)
    saving = SaveSession(publisher, deletion)
    fetcher = ObjectFetcher(saving)
    reader.connect(publisher, merger)
    registry.context = self
    reporter.context = self
  }

  @usableFromInline package var coordinator: PersistentStoreCoordinator { reader.coordinator }
  package var confinement: Confinement { reporter.confinement }
  var schema: Schema { registry.schema }

  deinit {
    layer.endMessages()
    // First: when objects are deallocated, they find no context.
    registry.close()
    work.close()
    ParentRelease.release(parentKeeper.take())
  }
}

@available(
  *, unavailable,
  message: "hand over context.layer, or an object's ID; contexts stay where they are"
)
extension ManagedObjectContext: Sendable {}

// MARK: - Settings

extension ManagedObjectContext {
  /// The decision of a save on an object that others have changed since it was read here: for a
  /// context below another one, the parent and its other children; for a context on the
  /// coordinator, other saves to the store. Core Data: `mergePolicy`, which a save to a parent does
  /// not ask.
  ///
  /// `.error` by default for a context on the coordinator, and for the background contexts of a
  /// container. For other contexts below a context it is `.mergeByPropertyObjectTrump`: where both
  /// have set a property, the later save wins, as in Core Data.
  public var mergePolicy: MergePolicy {
    get { saving.mergePolicy }
    set { saving.mergePolicy = newValue }
  }

  /// A name, which the context's notifications carry; nil by default. Core Data: `name`.
  public var name: String? {
    get { reporter.name }
    set { reporter.name = newValue }
  }

  /// The author of the changes that this context saves, as the program names it: a screen, an
  /// import, a sync. The context's notifications and its saves to the store carry it. Nil by
  /// default. Core Data: `transactionAuthor`.
  public var transactionAuthor: String? {
    get { reporter.transactionAuthor }
    set { reporter.transactionAuthor = newValue }
  }
}

// MARK: - The cache

extension ManagedObjectContext {
  /// The budget that a new context's object cache has: 64 MiB.
  public static let defaultCacheByteBudget = 64 << 20

  /// The approximate number of bytes of clean objects that the context keeps. Above it, objects
  /// that only the context holds become faults and are released. Objects with unsaved changes, and
  /// objects that the program holds, are never affected.
  public var cacheByteBudget: Int {
    get { registry.cache.byteBudget }
    set { registry.cache.byteBudget = max(0, newValue) }
  }

  /// Whether the context keeps every object that it has once met, with its values, whatever the
  /// budget says: until `reset()`, or until this is false again. False by default.
  /// Core Data: `retainsRegisteredObjects`.
  public var retainsRegisteredObjects: Bool {
    get { registry.cache.retainsAll }
    set { registry.cache.retainsAll = newValue }
  }
}

// MARK: - Turns and changes

extension ManagedObjectContext {
  /// Ends the turn: its changes are published to the context's children, waiting saves of children
  /// are integrated, and the objectsDidChange notifications are posted. Core Data:
  /// `processPendingChanges()`.
  ///
  /// It is called automatically at the end of a queue's block or of the main actor's turn. A
  /// confined context has no such end: call it.
  public func processPendingChanges() { publisher.processPendingChanges() }

  /// Whether anything is unsaved here. Core Data: `hasChanges`.
  public var hasChanges: Bool { work.hasChanges }

  /// Whether a save would write anything: `hasChanges`, unless only transient attributes have
  /// changed. Core Data has no such property of a context.
  ///
  /// - Complexity: O(unsaved changes) if all of them are transient.
  public var hasPersistentChanges: Bool {
    work.encodeEdits()
    return work.working.hasLinkChanges
      || work.working.contains { key, change in
        switch change.kind {
        case .insert: true
        case .delete: change.base != nil
        case .update:
          !change.slots.isSubset(of: schema.entity(key.entity)?.layout.transientSlots ?? [])
        }
      }
  }

  /// The objects that are new here and unsaved. Core Data: `insertedObjects`.
  public var insertedObjects: Set<ManagedObject> { loader.objects(changedAs: .insert) }

  /// The objects with unsaved changes that existed before. Core Data: `updatedObjects`.
  public var updatedObjects: Set<ManagedObject> { loader.objects(changedAs: .update) }

  /// The objects that the next save deletes. Core Data: `deletedObjects`.
  public var deletedObjects: Set<ManagedObject> { loader.objects(changedAs: .delete) }

  /// The objects of a class that are new here and unsaved.
  public func insertedObjects<T: Entity>(of type: T.Type) -> Set<T> {
    Set(insertedObjects.lazy.compactMap { $0 as? T })
  }

  /// The objects of a class with unsaved changes that existed before.
  public func updatedObjects<T: Entity>(of type: T.Type) -> Set<T> {
    Set(updatedObjects.lazy.compactMap { $0 as? T })
  }

  /// The objects of a class that the next save deletes.
  public func deletedObjects<T: Entity>(of type: T.Type) -> Set<T> {
    Set(deletedObjects.lazy.compactMap { $0 as? T })
  }

  /// The objects that the program holds or that have unsaved changes. Core Data:
  /// `registeredObjects`.
  public var registeredObjects: Set<ManagedObject> {
    _ = registry.cache.heldObjects()
    registry.turnWaitingIntoFaults()
    return Set(registry.cache.heldObjects())
  }

  /// Marks `object` to be deleted by the next save, and applies the delete rules of its
  /// relationships now: links are taken away, cascades deleted. Others see nothing before the save.
  /// Core Data: `delete(_:)`.
  ///
  /// - Precondition: the object is of this context.
  public func delete(_ object: ManagedObject) { deletion.delete(object) }

  /// Discards all unsaved changes: inserted objects are gone, changed and deleted ones have the
  /// parent's state. Core Data: `rollback()`.
  ///
  /// It waits for a save under way, whose changes are then no longer unsaved.
  ///
  /// - Precondition: if a save is under way, the store's writer does not call the caller, as it
  ///   calls a batch's closure: the wait would never end.
  public func rollback() { reporter.announce(saving.takeBack()) }

  /// Releases all objects and discards all unsaved changes. Objects that the program still holds
  /// are detached: they read as deleted. One objectsDidChange names all of them as invalidated.
  /// Core Data: `reset()`.
  ///
  /// - Precondition: as for `rollback()`.
  public func reset() { saving.reset() }
}
