// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The objects of one context: the instances that are registered, the way from an entity to its
/// class, and the observers of properties.
///
/// ## Invariants
/// - I1 Each entity has at most one binding, and each object in `cache` has the binding of its
///   entity.
/// - I2 No object in `leaving` is registered.
///
/// ## Lifetime
/// The context owns its registry, and the registry owns the bindings. `close()` cuts the bindings'
/// way to the context.
///
/// ## Isolation
/// The context's.
package final class ObjectRegistry {
  package let schema: Schema
  /// The context whose objects these are; nil in a test.
  unowned(unsafe) var context: ManagedObjectContext?

  var cache: ObjectCache
  // Safety: `@exclusivity(unchecked)` spares each insertion and look-up a run-time check. A
  // registry is of one isolation, and no access to this runs code that could reach the registry
  // again.
  @exclusivity(unchecked) private(set) var bindings: [EntityBinding?]
  /// The binding of the last new object: most objects are inserted in rows of one class.
  private var bindingOfNew: EntityBinding?
  /// The objects that may be observed; nil if the context does not track observation.
  private(set) var observed: ObservedObjects?
  /// Objects that have left the context and are notified once its state is consistent again.
  private(set) var leaving: [ManagedObject] = []
  /// Objects that were found to be gone when they were read, and that were not reported yet.
  var unreportedGone: Set<ObjectKey> = []
  /// Whether objects that turn into faults are being notified.
  private(set) var isFaulting = false

  package init(schema: Schema, byteBudget: Int) {
    self.schema = schema
    cache = ObjectCache(byteBudget: byteBudget)
    bindings = Array(repeating: nil, count: Int(schema.numbers.lastEntity) + 1)
  }

  /// Releases all objects. During their deallocation they find no context.
  package func close() {
    for binding in bindings { binding?.detach() }
    forgetAll()
  }

  /// Registers no object any more.
  func forgetAll() {
    cache = cache.emptied()
    checkInvariants()
  }

  // MARK: - Bindings

  /// The binding of an entity's objects; nil if the model has no such entity.
  package func binding(of entity: EntityNumber) -> EntityBinding? {
    let index = Int(entity.rawValue)
    guard index < bindings.count else { return nil }
    if let binding = bindings[index] { return binding }
    guard let entity = schema.entity(entity),
      let type = entity.description.managedObjectClass as? ManagedObject.Type
    else { return nil }
    let binding = EntityBinding(context: context, entity: entity, type: type)
    binding.observed = observed
    bindings[index] = binding
    checkInvariants()
    return binding
  }

  /// The binding of new objects of a class.
  ///
  /// - Precondition: the class is an entity of the model, and not an abstract one.
  package func binding(ofNew type: ManagedObject.Type) -> EntityBinding {
    if let bindingOfNew, bindingOfNew.type == type { return bindingOfNew }
    guard type != ManagedObject.self, let entity = schema.entity(for: type),
      let binding = binding(of: entity.number)
    else {
      stopProgram(
        "\(type) is not an entity of this context's model: name it in ManagedObjectModel(…), or "
          + "call insertNewObject(forEntityName:into:).")
    }
    require(
      !entity.description.isAbstract,
      "\(type) is an abstract entity: insert an object of an entity that inherits from it.")
    bindingOfNew = binding
    return binding
  }

  /// Stops the program if an object is of another context.
  func requireOwn(_ object: ManagedObject) {
    require(
      binding(of: object.key.entity) === object.binding,
      "An object of \(object.binding.entity.description.name) is of another context: pass its "
        + "objectID, and ask this context for its own instance.")
  }

  /// Begins or ends to note which properties are read.
  func setTracksObservation(_ tracksObservation: Bool) {
    guard tracksObservation != (observed != nil) else { return }
    if let observed { for object in cache.objects { observed.forget(object) } }
    observed = tracksObservation ? ObservedObjects() : nil
    for binding in bindings { binding?.observed = observed }
  }

  /// Gives an object a record that an edit of its own did not make, and tells its observers.
  func replaceRecord(_ record: Record, of object: ManagedObject) {
    object.recordWillChange(to: record)
    cache.replaceRecord(record, of: object)
  }

  // MARK: - Turning into faults

  /// Turns a clean object into a fault, and tells it and, if it may be observed, its observers.
  package func turnIntoFault(_ object: ManagedObject, mayBeObserved: Bool = true) {
    willTurnIntoFault(object)
    guard object.record != nil, object.draft == nil, object.status == .clean else { return }
    if mayBeObserved { object.recordWillChange(to: nil) }
    cache.setRecord(nil, of: object)
    if object.binding.hooks.contains(.didTurnIntoFault) { object.didTurnIntoFault() }
  }

  func willTurnIntoFault(_ object: ManagedObject) {
    guard object.binding.hooks.contains(.willTurnIntoFault), object.record != nil else { return }
    object.willTurnIntoFault()
  }

  /// Turns the cache's waiting objects into faults, with their life cycle methods.
  func turnWaitingIntoFaults() {
    guard !cache.waiting.isEmpty, !isFaulting else { return }
    isFaulting = true
    defer { isFaulting = false }
    for _ in cache.waiting {
      guard let object = cache.nextWaiting() else { break }
      turnIntoFault(object, mayBeObserved: false)
    }
  }

  // MARK: - Leaving the context

  /// Removes an object without a draft from the context for good. An object with life cycle methods
  /// keeps its values until `turnLeavingIntoFaults`, and reads as deleted until then.
  func unregister(_ object: ManagedObject) {
    cache.unregister(object.key)
    if object.record != nil, !object.binding.hooks.isDisjoint(with: .faulting) {
      object.status = .deleted
      leaving.append(object)
    } else {
      object.status = .detached
      object.record = nil
    }
    checkInvariants()
  }

  /// Readmits an object that has left the context, if its key has no other instance.
  func reattach(_ object: ManagedObject) {
    leaving.removeAll { $0 === object }
    cache.register(object)
    checkInvariants()
  }

  /// Tells the objects that have left the context, which is whole again.
  func turnLeavingIntoFaults() {
    while !leaving.isEmpty {
      let objects = leaving
      leaving = []
      for object in objects {
        willTurnIntoFault(object)
        object.status = .detached
        object.record = nil
        // The method may have read.
        observed?.forget(object)
        if object.binding.hooks.contains(.didTurnIntoFault) { object.didTurnIntoFault() }
      }
    }
  }

  // MARK: - Saves

  /// The registered objects among `saved` whose `didSave` will be called.
  func objectsWithDidSave(of saved: ChangeTable) -> [ManagedObject] {
    guard schema.hooks.contains(.didSave) else { return [] }
    let keys = saved.filter { key, change in
      schema.hooks(of: key.entity).contains(.didSave) && !change.isReadLock
    }.keys
    return keys.sorted().compactMap { cache.object(for: $0) }
  }
}
