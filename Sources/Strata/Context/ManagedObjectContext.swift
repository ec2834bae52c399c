// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
import StrataModel
import StrataRecord

/// A scratchpad over its parent: objects are inserted, fetched, changed and deleted here, and nothing
/// of it is seen elsewhere until a save. Core Data: `NSManagedObjectContext`.
///
/// A context rests on another context or on the store. It reads through its ancestors' published
/// layers and the store's snapshot, never waiting for any of them; `save()` hands its changes to the
/// parent, one level up.
///
/// ## Isolation
/// A context is not `Sendable`, and neither are its objects: both are used where the context was
/// made and nowhere else, and the compiler sees to it. Three ways to have one:
/// - a `ContextQueue` owns one and lends it to the bodies of `perform` and `performAndWait`;
/// - `container.viewContext` belongs to the main actor;
/// - `ManagedObjectContext(parent:)` makes one that is confined to the isolation that made it.
///
/// ## Turns
/// What happens between two ends of turn is seen by others as a whole or not at all. A queue's turn
/// ends with its block; the main actor's, when a job that the first touch enqueued runs; a confined
/// context's, at `processPendingChanges()`, at `save()`, and at each fetch. A child that is made or
/// used inside a turn of its parent ends that turn. All that a turn reads, it reads from one view; a
/// save and a refresh begin a new one.
///
/// ## Lifetime
/// A context keeps its parent alive, and with that all its ancestors. A context that is made from the
/// `layer` of a confined context does not keep that: nobody may let go of it elsewhere. Objects do not
/// keep their context. One that outlives it keeps the attributes that are loaded, and stops the
/// program where it needs the context: to load its values, for a relationship, to be changed.
///
/// ## Parts
/// The context is a face over its parts, each of which has its own file, invariants and tests. A part is
/// made from those that it needs, in this order:
///
/// | part | has |
/// | --- | --- |
/// | `registry` | the instances, and the observers of their properties |
/// | `reporter` | what the turn has changed, messages, lists that follow the context |
/// | `work` | everything unsaved, and the turn's view with it on top |
/// | `reader` | how views are taken, what was followed of others' changes, the pin |
/// | `loader` | the way from a key to an object, and faulting |
/// | `merger` | taking over others' changes |
/// | `publisher` | the ends of turns |
/// | `relationships`, `deletion` | edits beyond one object |
/// | `saving` | the save that is being prepared or under way |
/// | `fetcher` | plans of requests, and the views that they are carried out in |
public final class ManagedObjectContext {
  /// How the ends of a context's turns come about.
  package enum Confinement: Sendable {
    case queue, mainActor, confined
  }

  /// Keeps the parent context alive. Letting go of it is allowed in any isolation.
  private let parentKeeper: AnyObject?

  /// What children of this context rest on, and the subject of its notifications. `Sendable`: it
  /// may be handed anywhere to make a child there.
  public let layer: Layer

  /// The program's own values, for whoever is handed the context; Strata does not look at them.
  /// Core Data: `userInfo`.
  public var userInfo: [String: Any] = [:]

  // MARK: Parts, each of which knows only those above it

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

  /// Makes a context below `parent`, confined to the isolation that makes it.
  ///
  /// The context reads what `parent` has published. Its turn ends at `processPendingChanges()`, at
  /// `save()` and at each fetch. A context that is not used for a while keeps old pages of the store
  /// from being reused, unless `processPendingChanges()` was the last that it was asked for.
  public convenience init(parent: some ContextParent) {
    self.init(place: parent.place, confinement: .confined, sameIsolationParent: nil)
  }

  /// Makes a context below `parent` in the same isolation. Whenever it reads or saves, the parent's
  /// turn ends first: what the parent has done so far is published, and this context reads it. Its
  /// saves land in the parent at once.
  public convenience init(parent: ManagedObjectContext) {
    self.init(
      place: parent.layer.place, confinement: .confined, sameIsolationParent: parent)
    parent.publisher.endTurnForChild()
  }

  package init(
    place: ContextPlace, confinement: Confinement, sameIsolationParent: ManagedObjectContext?
  ) {
    let coordinator = place.coordinator
    let schema = coordinator.schema
    parentKeeper = sameIsolationParent ?? place.keeper
    layer = Layer(parent: place.layer, lock: coordinator.layerLock, source: coordinator)
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

  package var coordinator: PersistentStoreCoordinator { reader.coordinator }
  package var confinement: Confinement { reporter.confinement }
  var schema: Schema { registry.schema }

  deinit {
    layer.endMessages()
    // First: what objects do when they go finds no context.
    registry.close()
    work.close()
  }
}

@available(
  *, unavailable,
  message: "hand over context.layer, or an object's ID; contexts stay where they are"
)
extension ManagedObjectContext: Sendable {}

// MARK: - Settings

extension ManagedObjectContext {
  /// What a save does about objects that the store has changed meanwhile. `.error` by default.
  public var mergePolicy: MergePolicy {
    get { saving.mergePolicy }
    set { saving.mergePolicy = newValue }
  }

  /// A name, which the context's notifications carry; nil by default. Core Data: `name`.
  public var name: String? {
    get { reporter.name }
    set { reporter.name = newValue }
  }

  /// Who makes the changes that this context saves, as the program calls it: a screen, an import, a
  /// sync. The context's messages carry it, and the save to the store. Nil by default.
  /// Core Data: `transactionAuthor`.
  public var transactionAuthor: String? {
    get { reporter.transactionAuthor }
    set { reporter.transactionAuthor = newValue }
  }
}

// MARK: - The cache

extension ManagedObjectContext {
  /// The budget that a new context's object cache has: 64 MiB.
  public static let defaultCacheByteBudget = 64 << 20

  /// Roughly how many bytes of clean objects the context keeps before it turns those that nobody
  /// else holds into faults and lets them go. Objects with unsaved changes, and objects that the
  /// program holds, are never touched.
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
  /// Ends the turn: what was done is published to the context's children, saves of children that
  /// waited land, and the objectsDidChange notifications are posted.
  /// Core Data: `processPendingChanges()`.
  ///
  /// It is called by itself where a queue's block or the main actor's stretch of work ends. A
  /// confined context has no such end: call it.
  public func processPendingChanges() { publisher.processPendingChanges() }

  /// Whether anything is unsaved here. Core Data: `hasChanges`.
  public var hasChanges: Bool { work.hasChanges }

  /// Whether a save would write anything: `hasChanges`, but for changes of transient attributes
  /// alone. Core Data has no such property of a context. O(unsaved changes) if there are only such.
  public var hasPersistentChanges: Bool {
    work.encodeEdits()
    return work.working.segments.contains { !$0.links.isEmpty }
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
  public var insertedObjects: Set<ManagedObject> { objects(changedAs: .insert) }

  /// The objects with unsaved changes that existed before. Core Data: `updatedObjects`.
  public var updatedObjects: Set<ManagedObject> { objects(changedAs: .update) }

  /// The objects that the next save deletes. Core Data: `deletedObjects`.
  public var deletedObjects: Set<ManagedObject> { objects(changedAs: .delete) }

  /// The objects that somebody holds or that have unsaved changes.
  /// Core Data: `registeredObjects`.
  public var registeredObjects: Set<ManagedObject> {
    _ = registry.cache.heldObjects()
    registry.turnWaitingIntoFaults()
    return Set(registry.cache.heldObjects())
  }

  private func objects(changedAs kind: Change.Kind) -> Set<ManagedObject> {
    reader.prepareToHandOut()
    work.encodeEdits()
    let changes = work.working.changes
    var objects: Set<ManagedObject> = []
    for (place, key) in changes.keys.enumerated()
    where changes.values[place].kind == kind && changes.values[place].isAnything {
      if let object = loader.instance(of: key) { objects.insert(object) }
    }
    return objects
  }

  /// Marks `object` to be deleted by the next save, and applies the delete rules of its
  /// relationships now: links are taken away, cascades deleted. Others see nothing before the save.
  /// Core Data: `delete(_:)`.
  ///
  /// - Precondition: the object is of this context.
  public func delete(_ object: ManagedObject) { deletion.delete(object) }

  /// Forgets everything unsaved: inserted objects are gone, changed and deleted ones are as the
  /// parent has them. Core Data: `rollback()`.
  ///
  /// A save that is under way is waited for: what it saves is no longer unsaved.
  public func rollback() { reporter.announce(saving.takeBack()) }

  /// Forgets all objects and everything unsaved. Objects that somebody still holds are detached:
  /// they read as deleted. One objectsDidChange names all of them as invalidated.
  /// Core Data: `reset()`.
  public func reset() { saving.reset() }
}
