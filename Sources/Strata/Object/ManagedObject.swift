// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

/// An object of the graph: an instance of your class, living in one context. Core Data:
/// `NSManagedObject`.
///
/// Your classes inherit from it and are marked `@Entity`; their stored properties become attributes
/// and relationships. An object belongs to the context that made or fetched it and is reached only
/// inside that context's isolation: it is not `Sendable`, so passing it elsewhere does not compile.
/// Pass its `objectID`.
///
/// ## States
/// An object is in one of these states; `isInserted`, `isUpdated`, `isDeleted` and `isFault` tell
/// which.
/// - *clean*: equals the parent's state. → updated, by the first change; → deleted, by `delete`.
/// - *inserted*: new in this context. → clean, by a save; → detached, by `delete` or `rollback`.
/// - *updated*: changed here. → clean, by a save or `rollback`; → deleted, by `delete`.
/// - *deleted*: to be deleted by the next save. → detached, by that save; → clean, by `rollback`.
/// - *gone*: a fault that fired and found nothing: another context deleted the object. It reads as
///   deleted, its properties as nil, or as the attribute's default or its type's zero. Core Data:
///   `shouldDeleteInaccessibleFaults`.
/// - *detached*: of no context any more. It reads like a gone one.
///
/// ## Lifetime
/// The context's cache owns the object and releases it when the program does not hold it and it has
/// no unsaved values. An object that outlives its context keeps the attributes that are loaded, and
/// has no unsaved changes: no save can ever write them. Operations that need the context stop the
/// program. The last reference may be released on any
/// thread.
nonisolated open class ManagedObject {
  // The state relative to the context's parent is `status`. `context(for:)` stops the program where
  // an operation needs a context that is gone. `deinit` touches nothing.
  //
  // ## Invariants
  // - I1 A context has one instance per ID.
  // - I2 `draft` exists only while values are set that the context's changes do not contain yet;
  //   then `record` is the base of the draft.
  // - I3 An object without record and draft is a fault.

  package enum Status: UInt8 {
    case clean, inserted, updated, deleted, gone, detached
  }

  /// The context and the entity; shared by all objects of an entity in a context.
  @usableFromInline final let binding: EntityBinding
  // Safety: `@exclusivity(unchecked)` spares getters and setters their run-time checks. An object
  // is of one isolation, and no access to these runs code that could reach the object again.
  /// Constant, except for a new object that is assigned to a store.
  @exclusivity(unchecked)
  package final var key: ObjectKey
  /// The values as last encoded or loaded; nil in a fault.
  @exclusivity(unchecked)
  @usableFromInline package final var record: Record?
  /// The values set since, in the arena of the context's edits.
  @exclusivity(unchecked)
  @usableFromInline final var draft: Draft?
  /// The generation of the store's record that `record` goes back to; 0 if the store has none.
  @exclusivity(unchecked)
  package final var generation: UInt64 = 0
  // The following properties fit into eight bytes: with them an object is 72, which malloc rounds
  // to 80.
  /// The index of the object's registrar in the context's `ObservedObjects`; 0 if no property was
  /// read.
  @exclusivity(unchecked)
  @usableFromInline final var observation: UInt32 = 0
  @exclusivity(unchecked)
  package final var status: Status
  /// The cache's mark of recent use.
  @exclusivity(unchecked)
  package final var isRecentlyUsed = false
  /// Whether the cache has spared the object once, when it released others.
  package final var wasSpared = false
  /// The edition of the cache that `record` is good for.
  @exclusivity(unchecked)
  package final var edition: UInt8 = 0

  /// Makes an instance for a context. Strata calls it; to insert a new object, call
  /// `City(context: context)`. A subclass that declares a designated initializer of its own must
  /// override this one and pass the initializer on.
  public required init(_ initializer: _ObjectInitializer) {
    binding = initializer.binding
    key = initializer.key
    status = initializer.status
  }

  /// Inserts a new object into `context`, with its attributes at their defaults. Its ID is
  /// permanent from now on. Core Data: `init(context:)`.
  ///
  /// - Precondition: the class is an entity of the context's model, and is not abstract.
  public convenience init(context: ManagedObjectContext) {
    self.init(context.work.initializerForInsert(Self.self))
    context.work.didInsert(self)
  }

  /// The description of the class's entity. `@Entity` overrides it.
  open class var entity: EntityDescription { rootEntity }

  /// The entity, the ID, the state if it is not clean, and the attributes and to-one targets that
  /// are in memory. A fault does not fire, and no observation begins. Long texts are cut, bytes are
  /// counted, and to-many relationships are left out. Core Data: `description`.
  ///
  /// A class may override it. Errors and the log never use it, because it has values.
  open var description: String { printedDescription }

  // MARK: - Life cycle

  // A class that overrides one of these calls `super`. They run inside the context's isolation.
  // They are here because Swift lets no method of an extension be overridden.

  /// Called once in the object's lifetime, when it is inserted: in the context that inserts it, not
  /// again by a redo, nor in contexts that a save takes it to. Values that it sets belong to the
  /// insertion. Fetching in it is discouraged. Core Data: `awakeFromInsert()`.
  open func awakeFromInsert() {}

  /// Called each time the object has been given its values from the context's parent: its fault
  /// fired, or a fetch found it. Change processing is off around it, so that it may fill transient
  /// attributes and caches: values that it sets in this object are seen in this context, are not
  /// changes and are never saved. It must not set relationships. Core Data: `awakeFromFetch()`.
  open func awakeFromFetch() {}

  /// Called when the object has been given its values by another cause than a fetch or an edit: the
  /// place to repeat the derivations of `awakeFromFetch`. Values that it sets are not changes. Core
  /// Data: `awake(fromSnapshotEvents:)`.
  open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}

  /// Called before the context saves the object's unsaved changes, its deletion included
  /// (`isDeleted`). It may change objects; whatever is changed by it is saved with the rest, and
  /// `willSave` is called again for each object that changed. So it must come to an end: set a
  /// value only if it differs. Saving in it is refused. Core Data: `willSave()`.
  open func willSave() {}

  /// Called when the context has saved the object, to its parent or to the disk; for a deleted one
  /// too (`isDeleted`), a last time with its values. Changes that it makes are unsaved afterwards.
  /// Core Data: `didSave()`.
  open func didSave() {}

  /// Called when the context is about to save the object, which is new to its parent: after
  /// `willSave`, in addition to the rules of the model. The save reports the error that it throws
  /// with all other failures (`ContextError.validationFailed`), and nothing is saved.
  ///
  /// It reads and changes nothing, in this object or another: a change is itself a failure, because
  /// the values that were validated before would differ from the saved ones. Change objects in
  /// `willSave`.
  ///
  /// It is called by each context on the object's way to the store, for the object's state there.
  /// Core Data: `validateForInsert()`.
  open func validateForInsert() throws {}

  /// Called when the context is about to save an object that it has changed and that existed
  /// before, as `validateForInsert` is for new ones. Links of to-many relationships do not
  /// change an object (`isUpdated`). Core Data: `validateForUpdate()`.
  open func validateForUpdate() throws {}

  /// Called when the context is about to save the deletion of the object, as `validateForInsert` is
  /// for new ones: its values can be read, its to-many relationships are empty already. Core Data:
  /// `validateForDelete()`.
  open func validateForDelete() throws {}

  /// Called once for each deletion, by `delete` or by a cascade, before delete rules apply to the
  /// object: its relationships still exist. Core Data: `prepareForDeletion()`.
  open func prepareForDeletion() {}

  /// Called before the object's values go: it becomes a fault, or it leaves its context.
  /// Core Data: `willTurnIntoFault()`.
  open func willTurnIntoFault() {}

  /// Called after the object's values have been released: the place to release values derived from
  /// them. Reading a property would load them again. Core Data: `didTurnIntoFault()`.
  open func didTurnIntoFault() {}

  // MARK: - Slots

  /// The slot after the last one of this class; `@Entity` continues from it.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @inlinable public static var _slotEnd_ManagedObject: Int { @inline(__always) get { 0 } }
}

/// The root of all entities: it has no properties and no objects.
private let rootEntity = EntityDescription(
  "ManagedObject", class: ManagedObject.self, isAbstract: true, hooks: [], properties: [])

@available(*, unavailable, message: "hand over the objectID; objects stay in their context")
extension ManagedObject: Sendable {}

// MARK: - Class

extension ManagedObject {
  /// The object as an instance of `type`; nil if it is of another class.
  @inlinable
  @inline(__always)
  final func cast<T: ManagedObject>(to type: T.Type) -> T? {
    // A class mostly is the very one: that takes one comparison instead of a call.
    if ObjectIdentifier(Swift.type(of: self)) == ObjectIdentifier(type) {
      // Safety: just compared.
      return unsafeDowncast(self, to: type)
    }
    return self as? T
  }
}

// MARK: - Identity

extension ManagedObject: Hashable {
  /// Two objects are equal if they are the same instance: a context has one instance per ID.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: Identifiable {
  public typealias ID = ObjectID

  /// The object's ID, permanent from birth. Reading it fires no fault.
  public final var objectID: ObjectID { ObjectID(store: binding.entity.store, key: key) }
}

// No member of `ManagedObject` itself, so that a class may declare an attribute with the name.
extension Identifiable where Self: ManagedObject {
  /// The object's ID. A class may have an attribute `id` of its own, of any type: then
  /// `Identifiable` still goes by the object's ID.
  public var id: ObjectID { objectID }
}

// MARK: - State

extension ManagedObject {
  /// The context that the object lives in; nil once it is detached: deleted and saved, or its
  /// context reset, rolled back or gone. Core Data: `managedObjectContext`.
  public final var managedObjectContext: ManagedObjectContext? {
    status == .detached ? nil : binding.context
  }

  /// Whether the object's values are not in memory; reading one loads them.
  /// Core Data: `isFault`.
  public final var isFault: Bool { record == nil && draft == nil && isAlive }

  /// Whether the object is new in its context and unsaved. Core Data: `isInserted`.
  public final var isInserted: Bool { status == .inserted && binding.hasContext }

  /// Whether the object has unsaved changes and existed before. Core Data: `isUpdated`.
  public final var isUpdated: Bool { status == .updated && binding.hasContext }

  /// Whether the next save deletes the object, or its fault found it deleted by another context.
  /// Core Data: `isDeleted`.
  public final var isDeleted: Bool {
    status == .deleted && binding.hasContext || status == .gone
  }

  /// Whether the object is inserted, updated or deleted in its context; false once the context is
  /// gone. Core Data: `hasChanges`.
  public final var hasChanges: Bool {
    switch status {
    case .inserted, .updated, .deleted: binding.hasContext
    case .clean, .gone, .detached: false
    }
  }

  /// Whether the object has values that can be read or set.
  final var isAlive: Bool { status != .gone && status != .detached && binding.hasContext }

  /// Whether the object is alive and not deleted.
  final var isPresent: Bool { isAlive && status != .deleted }
}
