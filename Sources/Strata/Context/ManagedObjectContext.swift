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
/// ## Invariants
/// - I1 `working` holds everything unsaved but `edits`; objects with drafts are listed in `edits`.
/// - I2 At the end of a turn `edits` is empty and the layer shows `working`.
/// - I3 `view` is nil between turns.
public final class ManagedObjectContext {
  /// How the ends of a context's turns come about.
  package enum Confinement: Sendable {
    case queue, mainActor, confined
  }

  package let coordinator: PersistentStoreCoordinator
  package let confinement: Confinement
  let schema: Schema
  /// The context that this one was made from in the same isolation: to use this one ends its turn.
  let sameIsolationParent: ManagedObjectContext?
  /// Keeps the parent context alive. Letting go of it is allowed in any isolation.
  private let parentKeeper: AnyObject?

  /// What children of this context rest on, and the subject of its notifications. `Sendable`: it
  /// may be handed anywhere to make a child there.
  public let layer: Layer

  /// What a save does about objects that the store has changed meanwhile. `.error` by default.
  public var mergePolicy: MergePolicy = .error

  /// A name, which the context's notifications carry; nil by default. Core Data: `name`.
  public var name: String?

  /// Who makes the changes that this context saves, as the program calls it: a screen, an import, a
  /// sync. The context's messages carry it, and the save to the store. Nil by default.
  /// Core Data: `transactionAuthor`.
  public var transactionAuthor: String?

  /// The program's own values, for whoever is handed the context; Strata does not look at them.
  /// Core Data: `userInfo`.
  public var userInfo: [String: Any] = [:]

  // MARK: State

  // Safety: `@exclusivity(unchecked)` spares what every insertion, edit and deletion touches its
  // run-time checks. A context is of one isolation, and no access to these runs code of others that
  // could reach the context again: what such code may do is called between accesses.
  @exclusivity(unchecked) var cache: ObjectCache
  @exclusivity(unchecked) var homes: [ObjectHome?]
  /// That of the last new object: most objects are inserted in rows of one class.
  @exclusivity(unchecked) var homeOfNew: ObjectHome?
  /// The unsaved changes, encoded.
  @exclusivity(unchecked) var working = Overlay()
  /// What was done since `working` was encoded.
  @exclusivity(unchecked) var edits = PendingEdits()
  /// The objects of which it is not known that what is unsaved here rests on their state beneath.
  @exclusivity(unchecked) var doubt = Doubt()
  /// Whether the layer shows `working`.
  @exclusivity(unchecked) var isPublished = true
  /// The ordered relationships that are worked on by index.
  @exclusivity(unchecked) var orderedLists = OrderedLists()
  @exclusivity(unchecked) var turn = TurnChanges()
  var messageCounts = MessageCounts()
  /// What children's saves changed that landed at the first read of this turn: told at its end,
  /// because no observer may run in the middle of reading a property.
  var landed: [TurnChanges] = []
  @exclusivity(unchecked) var view: ReadView?
  /// An error that reading a property met and could not throw: the next call that can, does.
  @exclusivity(unchecked) var deferredError: (any Error)?
  /// Whether one state of what lies beneath is read until the next save, as
  /// `setQueryGeneration(from:)` says.
  var isPinned = false
  /// The unsaved changes as they were when objectsDidChange was last posted.
  var turnStart = Overlay()
  /// What was called for the save that is being prepared, if one is.
  var preparation: SavePreparation?
  /// Holds values against the rules of the model.
  var ruleChecker = RuleChecker()
  /// The objects whose awake methods run: what is set in them is no change.
  @exclusivity(unchecked) var awaking: [ManagedObject] = []
  /// The objects that are being deleted and have been told.
  @exclusivity(unchecked) var deleting: Set<ObjectKey> = []
  /// Where the to-one relationships led that deny the deletion of an object, by slot, when it was
  /// deleted. A to-many relationship is asked again when it is saved.
  @exclusivity(unchecked) var deniedTargets: [ObjectKey: [Int: ObjectKey]] = [:]
  /// Objects that have left the context and are to be told, once its state is whole again.
  @exclusivity(unchecked) var leaving: [ManagedObject] = []
  /// Whether the turn is being ended, and observers may be running.
  var isEndingTurn = false
  /// Whether objects that turn into faults are being told.
  var isFaulting = false
  /// The objects that somebody may be observing; nil if the context does not track observation.
  @exclusivity(unchecked) var observed: ObservedObjects?
  /// The save to the store that is under way, if any.
  var pendingSave: PendingSave?
  /// Whether the end of the main actor's turn has been enqueued.
  @exclusivity(unchecked) var isTurnEndScheduled = false
  /// Records what is done, if it can be undone: `undoManager`.
  @exclusivity(unchecked) var undoRecorder: UndoManager?
  /// The savepoints of the `edit { }` calls that are under way, the outermost first.
  @exclusivity(unchecked) var savepoints: [EditSavepoint] = []
  /// The lists that are told of this context's changes.
  var liveResults = LiveResultsList()
  /// What this context follows of others' changes, and merges of them.
  @exclusivity(unchecked) var merging: Merging

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
    parent.endTurnForChild()
  }

  package init(
    place: ContextPlace, confinement: Confinement, sameIsolationParent: ManagedObjectContext?
  ) {
    coordinator = place.coordinator
    schema = place.coordinator.schema
    self.confinement = confinement
    self.sameIsolationParent = sameIsolationParent
    if let sameIsolationParent {
      parentKeeper = sameIsolationParent
    } else {
      parentKeeper = place.keeper
    }
    layer = Layer(parent: place.layer, lock: coordinator.layerLock, source: coordinator)
    merging = Merging(of: layer)
    cache = ObjectCache(byteBudget: Self.defaultCacheByteBudget)
    homes = Array(repeating: nil, count: Int(schema.numbers.lastEntity) + 1)
  }

  deinit {
    layer.endMessages()
    // First: what objects do when they go finds no context.
    for home in homes { home?.detach() }
    cache = cache.emptied()
    edits.close()
  }
}

@available(
  *, unavailable,
  message: "hand over context.layer, or an object's ID; contexts stay where they are"
)
extension ManagedObjectContext: Sendable {}

// MARK: - The cache

extension ManagedObjectContext {
  /// The budget that a new context's object cache has: 64 MiB.
  public static let defaultCacheByteBudget = 64 << 20

  /// Roughly how many bytes of clean objects the context keeps before it turns those that nobody
  /// else holds into faults and lets them go. Objects with unsaved changes, and objects that the
  /// program holds, are never touched.
  public var cacheByteBudget: Int {
    get { cache.byteBudget }
    set { cache.byteBudget = max(0, newValue) }
  }

  /// Whether the context keeps every object that it has once met, with its values, whatever the
  /// budget says: until `reset()`, or until this is false again. False by default.
  /// Core Data: `retainsRegisteredObjects`.
  public var retainsRegisteredObjects: Bool {
    get { cache.retainsAll }
    set { cache.retainsAll = newValue }
  }
}

// MARK: - Changes

extension ManagedObjectContext {
  /// Whether anything is unsaved here. Core Data: `hasChanges`.
  public var hasChanges: Bool {
    // What came and went again is no change: encoding tells.
    encodeEdits()
    return working.hasChanges
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
    _ = cache.heldObjects()
    turnWaitingIntoFaults()
    return Set(cache.heldObjects())
  }

  private func objects(changedAs kind: Change.Kind) -> Set<ManagedObject> {
    prepareToHandOut()
    encodeEdits()
    let changes = working.changes
    var objects: Set<ManagedObject> = []
    for (place, key) in changes.keys.enumerated()
    where changes.values[place].kind == kind && changes.values[place].isAnything {
      if let object = instance(of: key) { objects.insert(object) }
    }
    return objects
  }

  /// Forgets everything unsaved: inserted objects are gone, changed and deleted ones are as the
  /// parent has them. Core Data: `rollback()`.
  ///
  /// A save that is under way is waited for: what it saves is no longer unsaved.
  public func rollback() { announce(takeBack()) }

  /// Forgets everything unsaved.
  ///
  /// - Returns: what there is to tell of it.
  private func takeBack() -> [TurnChanges] {
    finishPendingSave()
    encodeEdits()
    announceTurn()
    // What observers have done is taken back with the rest.
    encodeEdits()
    turn = TurnChanges()
    var undone = TurnChanges()
    let takenBack = working.changes.keys
    willTakeBack(working)
    for (key, change) in working.changes {
      switch change.kind {
      case .insert: undone.deleted.append(key)
      case .update where change.isReadLock: continue
      case .update: undone.refreshed.append(key)
      case .delete where change.base != nil: undone.inserted.append(key)
      case .delete: continue
      }
      if let object = cache.object(for: key) { drop(object) }
    }
    // Links that lie beside the objects change none of their records.
    for owner in Set(working.links.byPlace.keys.map(\.owner))
    where working.change(for: owner).map({ $0.isReadLock }) ?? true {
      undone.refreshed.append(owner)
    }
    replaceWorking(Overlay())
    doubt = Doubt()
    deniedTargets = [:]
    isPublished = false
    undoRecorder?.removeAllActions()
    moveSavepoints()
    let landed = settle()
    view = nil
    turnStart = working
    turnLeavingIntoFaults()
    if schema.hooks.contains(.awakeFromSnapshotEvents) {
      for key in takenBack {
        if let object = cache.object(for: key) { awake(object, from: .rollback) }
      }
    }
    return [undone] + landed
  }

  /// Takes back what is unsaved in one object.
  private func drop(_ object: ManagedObject) {
    if object.status == .inserted {
      detach(object)
    } else {
      object.status = .clean
      cache.setRecord(nil, of: object)
    }
  }

  /// Forgets all objects and everything unsaved. Objects that somebody still holds are detached:
  /// they read as deleted. One objectsDidChange names all of them as invalidated.
  /// Core Data: `reset()`.
  public func reset() {
    // Taking back detaches the inserted ones.
    let registered = cache.objects.map(\.key)
    var landed = takeBack().dropFirst()
    if !schema.hooks.isDisjoint(with: .faulting) {
      // Told while the context is whole: they may read, and what they change is forgotten too.
      for object in cache.objects { willTurnIntoFault(object) }
      landed += takeBack().dropFirst()
    }
    let objects = cache.objects
    var forgotten = TurnChanges()
    forgotten.invalidated = registered
    for object in objects where object.observation != 0 { objectWillGo(object) }
    cache = cache.emptied()
    let told = objects.filter {
      $0.record != nil && $0.home.hooks.contains(.didTurnIntoFault)
    }
    for object in objects {
      object.discardDraft()
      object.status = .detached
      object.record = nil
      object.home.observed?.forget(object)
    }
    undoRecorder?.removeAllActions()
    moveSavepoints()
    for object in told { object.didTurnIntoFault() }
    var reset = LiveChanges()
    reset.isReset = true
    tellLiveResults(reset)
    announce([forgotten] + landed)
  }
}
