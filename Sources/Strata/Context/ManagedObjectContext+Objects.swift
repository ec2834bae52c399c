// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataRecord

// Registering objects, finding them by ID, and firing faults.

extension ManagedObjectContext {
  // MARK: - By ID

  /// The object with this ID: the registered one, or a new fault. Nothing is read, so nothing says
  /// whether such an object exists; if it does not, the fault reads as deleted when it fires.
  /// Core Data: `object(with:)`.
  ///
  /// - Throws: `ContextError.foreignObjectID` or `.unexpectedEntity` for an ID that cannot be one of
  ///   `type` in this store, `.objectNotFound` for one of an entity that the model does not have.
  public func object<T: ManagedObject>(_ type: T.Type = T.self, with id: ObjectID) throws -> T {
    try checked(type, id)
  }

  /// The object with this ID, its values loaded. Core Data: `existingObject(with:)`.
  ///
  /// - Throws: `ContextError.objectNotFound` if there is none or it is deleted here; the errors of
  ///   `object(_:with:)`; `StoreError` if reading fails.
  public func existingObject<T: ManagedObject>(
    _ type: T.Type = T.self, with id: ObjectID
  ) throws -> T {
    try throwDeferredError()
    beginFetching()
    let object = try checked(type, id)
    if object.record == nil, object.isFault { try load(object) }
    guard !object.isDeleted else { throw ContextError.objectNotFound(id) }
    return object
  }

  /// The object with this ID if it is registered here, or nil. No object is read.
  /// Core Data: `registeredObject(for:)`.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    guard id.store == schema.store else { return nil }
    prepareToHandOut()
    return cache.object(for: id.key)
  }

  private func checked<T: ManagedObject>(_ type: T.Type, _ id: ObjectID) throws -> T {
    guard id.store == schema.store else { throw ContextError.foreignObjectID(id) }
    guard let object = instance(of: id.key) else {
      throw ContextError.objectNotFound(id)
    }
    guard let typed = object.cast(to: type) else {
      throw ContextError.unexpectedEntity(
        id, expected: T.entity.name, found: object.home.entity.description.name)
    }
    return typed
  }

  // MARK: - Instances

  /// The registered instance of `key`, if it can be handed out as it is. Runs no code of the program.
  @inline(__always)
  func objectAtHand(for key: ObjectKey) -> ManagedObject? {
    view == nil ? nil : cache.object(for: key)
  }

  /// The one instance of `key`, registered or made now as a fault; nil if the model has no such
  /// entity.
  func instance(of key: ObjectKey) -> ManagedObject? {
    prepareToHandOut()
    if let object = cache.object(for: key) { return object }
    guard let home = home(of: key.entity) else { return nil }
    if !working.segments.isEmpty, let change = working.change(for: key) {
      return makeInstance(of: key, home, changedBy: change)
    }
    let object = home.type.init(ObjectSeed(home: home, key: key))
    cache.register(object)
    if !cache.waiting.isEmpty { turnWaitingIntoFaults() }
    return object
  }

  /// Makes the instance of an object with unsaved changes.
  private func makeInstance(
    of key: ObjectKey, _ home: ObjectHome, changedBy change: Change
  ) -> ManagedObject {
    let status: ManagedObject.Status =
      switch change.kind {
      case .insert: .inserted
      case .update where change.isReadLock: .clean
      case .update: .updated
      case .delete: .deleted
      }
    let object = home.type.init(ObjectSeed(home: home, key: key, status: status))
    object.generation = change.base?.generation ?? 0
    if let record = change.record ?? change.base?.record { object.record = record }
    cache.register(object)
    if home.hooks.contains(.awakeFromFetch), object.record != nil, status != .deleted {
      awakeFromFetch(object)
    }
    if !cache.waiting.isEmpty { turnWaitingIntoFaults() }
    return object
  }

  /// The one instance of `key`, with this record if it had none. What a fetch found is put under the
  /// object; an object with values keeps them until it is refreshed.
  ///
  /// - Parameter record: makes the record, if it is to be kept.
  @inline(__always)
  func instance(
    of key: ObjectKey, generation: UInt64, holding record: () -> Record
  ) -> ManagedObject? {
    if let object = cache.object(for: key) {
      if object.record == nil, object.draft == nil, object.status == .clean {
        fulfil(object, StoredRecord(record: record(), generation: generation))
        if object.home.hooks.contains(.awakeFromFetch) { awakeFromFetch(object) }
      }
      return object
    }
    guard hasNoChange(of: key) else { return instance(of: key) }
    guard let home = home(of: key.entity) else { return nil }
    let object = home.type.init(ObjectSeed(home: home, key: key))
    object.generation = generation
    object.record = record()
    cache.register(object)
    if view?.hasInheritedUpdates == true { notePendingBase(of: object) }
    if home.hooks.contains(.awakeFromFetch) { awakeFromFetch(object) }
    if !cache.waiting.isEmpty { turnWaitingIntoFaults() }
    return object
  }

  /// Whether nothing is unsaved of an object, drafts aside.
  @inline(__always)
  func hasNoChange(of key: ObjectKey) -> Bool {
    working.segments.isEmpty || working.change(for: key) == nil
  }

  func home(of entity: EntityNumber) -> ObjectHome? {
    let index = Int(entity.rawValue)
    guard index < homes.count else { return nil }
    if let home = homes[index] { return home }
    guard let entity = schema.entity(entity),
      let type = entity.description.managedObjectClass as? ManagedObject.Type
    else { return nil }
    let home = ObjectHome(context: self, entity: entity, type: type)
    home.observed = observed
    homes[index] = home
    return home
  }

  // MARK: - Inserting

  func seedForInsert(_ type: ManagedObject.Type) -> ObjectSeed {
    let home = homeForInsert(type)
    let key = ObjectKey(entity: home.entity.number, serial: nextSerial())
    return ObjectSeed(home: home, key: key, status: .inserted)
  }

  /// A serial for a new object. They are fetched several at a time, but never more than there are objects
  /// waiting to be encoded: so at least half are used, and those of one turn come before those of a
  /// later one, in other contexts too.
  private func nextSerial() -> UInt64 {
    if edits.serials.isEmpty {
      let count = min(max(edits.drafted.count, 1), Self.serialCountMax)
      edits.serials = coordinator.takeSerials(upTo: count)
    }
    let serial = edits.serials.lowerBound
    edits.serials = (serial + 1)..<edits.serials.upperBound
    return serial
  }

  private static let serialCountMax = 64

  private func homeForInsert(_ type: ManagedObject.Type) -> ObjectHome {
    if let homeOfNew, homeOfNew.type == type { return homeOfNew }
    guard let entity = schema.entity(for: type), let home = home(of: entity.number) else {
      preconditionFailure(
        "\(type) is no entity of this context's model: name it in ManagedObjectModel(…)")
    }
    precondition(
      !entity.description.isAbstract, "\(type) is an abstract entity: insert one that inherits")
    homeOfNew = home
    return home
  }

  func didInsert(_ object: ManagedObject) {
    let home = object.home
    // What others were given is what this one will be given, more or less: one is looked at now and then.
    let count = edits.drafted.count
    if count & (count - 1) == 0, let former = edits.drafted.last, former.home === home,
      let draft = former.draft
    {
      home.noteNew(draft)
    }
    object.draft = DraftReference.make(
      home.layout, base: home.template, external: home.templateExternal,
      heapByteCount: home.heapByteCountOfNew, in: &edits.slabs)
    cache.register(object)
    edits.drafted.append(object)
    turn.inserted.append(object.key)
    noteTouched()
  }

  // MARK: - Faults

  /// Loads a fault from the turn's view. A fault whose object is gone becomes a gone object.
  func load(_ object: ManagedObject) throws {
    try fulfil(object)
    if object.home.hooks.contains(.awakeFromFetch), object.record != nil { awakeFromFetch(object) }
    if !cache.waiting.isEmpty { turnWaitingIntoFaults() }
  }

  /// Loads a fault without telling it.
  func fulfil(_ object: ManagedObject) throws {
    if let stored = try currentView().record(of: object.key) { return fulfil(object, stored) }
    // Before observers hear of it: whoever reads the object meanwhile would fire the fault again.
    object.status = .gone
    if object.observation != 0 { objectWillGo(object) }
    merging.untold.insert(object.key)
  }

  /// Gives a fault its record.
  private func fulfil(_ object: ManagedObject, _ stored: StoredRecord) {
    // Observers read other values last, perhaps.
    if object.observation != 0 { object.recordWillChange(to: nil) }
    cache.setRecord(stored.record, of: object)
    cache.noteCurrent(object)
    object.generation = stored.generation
    if view?.hasInheritedUpdates == true { notePendingBase(of: object) }
  }

  /// Notes what lies beneath the record of a clean object, which was just read, if an ancestor's pending
  /// update shows it.
  @inline(never)
  func notePendingBase(of object: ManagedObject) {
    cache.notePending(view?.baseOfInheritedUpdate(of: object.key), of: object)
  }

  /// Loads a fault for a getter, which cannot throw: an error waits for the next call that can, and
  /// the object stays a fault.
  func fire(_ object: ManagedObject) {
    do { try load(object) } catch {
      if deferredError == nil { deferredError = error }
    }
  }

  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  // MARK: - Editing

  /// The draft that takes a new value of `slot`, or nil if the object has no values to set: it is none if
  /// it is still a fault. Runs no code of the program.
  func draftForEditing(_ object: ManagedObject, _ slot: Int) -> DraftReference? {
    if let draft = object.draft { return draft }
    guard let record = object.record, object.status != .deleted, object.isAlive else { return nil }
    // What a stale object is set over is its own, with the links that others have changed since.
    if !orderedLists.isEmpty, !cache.isCurrent(object) { orderedLists.removeAll() }
    let layout = object.home.layout
    let draft =
      layout.variableSlots.contains(slot)
      ? DraftReference.make(layout, base: record, in: &edits.slabs)
      : DraftReference.make(patching: record, of: layout, in: &edits.arena, &edits.slabs)
    object.draft = draft
    if !awaking.isEmpty, awaking.contains(where: { $0 === object }) { return draft }
    if object.status == .clean { object.status = .updated }
    edits.drafted.append(object)
    turn.updated.append(object.key)
    noteTouched()
    return draft
  }
}
