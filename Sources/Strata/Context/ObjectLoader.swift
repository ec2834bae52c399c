// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// Returns one context's objects by key, and loads the values of faults.
///
/// ## Isolation
/// The context's.
package final class ObjectLoader: ContextPart {
  let reader: ContextReader
  // Safety: `@exclusivity(unchecked)` spares each fault a run-time check. No access to this runs
  // other code.
  /// How often objects were needed since the last report.
  @exclusivity(unchecked) private var reads = ObjectReads()

  package init(_ reader: ContextReader) {
    self.reader = reader
  }

  // MARK: - Instances

  /// The registered instance of `key`, if it can be handed out as it is. Runs no code of the
  /// program.
  @inline(__always)
  func objectAtHand(for key: ObjectKey) -> ManagedObject? {
    work.view == nil ? nil : registry.cache.object(for: key)
  }

  /// The one instance of `key`, registered or made now as a fault; nil if the model has no such
  /// entity.
  func instance(of key: ObjectKey) -> ManagedObject? {
    reader.prepareToHandOut()
    if let object = registry.cache.object(for: key) { return object }
    guard let binding = registry.binding(of: key.entity) else { return nil }
    if !work.working.segments.isEmpty, let change = work.working.change(for: key) {
      return makeInstance(of: key, binding, changedBy: change)
    }
    let object = binding.type.init(_ObjectInitializer(binding: binding, key: key))
    registry.cache.register(object)
    if !registry.cache.waiting.isEmpty { registry.turnWaitingIntoFaults() }
    return object
  }

  /// Makes the instance of an object with unsaved changes.
  private func makeInstance(
    of key: ObjectKey, _ binding: EntityBinding, changedBy change: Change
  ) -> ManagedObject {
    let status = change.status == .updated ? work.statusOfUpdated(key) : change.status
    let object = binding.type.init(_ObjectInitializer(binding: binding, key: key, status: status))
    object.generation = change.base?.generation ?? 0
    if let record = change.record ?? change.base?.record { object.record = record }
    registry.cache.register(object)
    if binding.hooks.contains(.awakeFromFetch), object.record != nil, change.kind != .delete {
      awakeFromFetch(object)
    }
    if !registry.cache.waiting.isEmpty { registry.turnWaitingIntoFaults() }
    return object
  }

  /// The objects with unsaved changes of a kind.
  func objects(changedAs kind: Change.Kind) -> Set<ManagedObject> {
    reader.prepareToHandOut()
    work.encodeEdits()
    let changes = work.working.changes
    var objects: Set<ManagedObject> = []
    for (place, key) in changes.keys.enumerated()
    where changes.values[place].kind == kind && changes.values[place].isAnything {
      if let object = instance(of: key) { objects.insert(object) }
    }
    return objects
  }

  /// The one instance of `key`, with this record if it had none. The record that a fetch found
  /// becomes the object's record; an object with values keeps them until it is refreshed.
  ///
  /// - Parameter record: makes the record, if it is kept.
  @inline(__always)
  func instance(
    of key: ObjectKey, generation: UInt64, holding record: () -> Record
  ) -> ManagedObject? {
    if let object = registry.cache.object(for: key) {
      if object.record == nil, object.draft == nil, object.status == .clean {
        fulfil(object, StoredRecord(record: record(), generation: generation))
        if object.binding.hooks.contains(.awakeFromFetch) { awakeFromFetch(object) }
      }
      return object
    }
    guard work.hasNoChange(of: key) else { return instance(of: key) }
    guard let binding = registry.binding(of: key.entity) else { return nil }
    let object = binding.type.init(_ObjectInitializer(binding: binding, key: key))
    object.generation = generation
    object.record = record()
    registry.cache.register(object)
    if work.view?.hasInheritedUpdates == true { notePendingBase(of: object) }
    if binding.hooks.contains(.awakeFromFetch) { awakeFromFetch(object) }
    if !registry.cache.waiting.isEmpty { registry.turnWaitingIntoFaults() }
    return object
  }

  /// An object as one of class `T`.
  ///
  /// - Throws: `ContextError.unexpectedEntity`.
  func typed<T: ManagedObject>(_ object: ManagedObject) throws -> T {
    guard let typed = object.cast(to: T.self) else {
      throw ContextError.unexpectedEntity(
        object.objectID, expected: T.entity.name, found: object.binding.entity.description.name)
    }
    return typed
  }

  // MARK: - Faults

  /// Loads a fault from the turn's view. A fault whose object is gone becomes a gone object.
  func load(_ object: ManagedObject) throws {
    try fulfil(object)
    if object.binding.hooks.contains(.awakeFromFetch), object.record != nil {
      awakeFromFetch(object)
    }
    if !registry.cache.waiting.isEmpty { registry.turnWaitingIntoFaults() }
  }

  /// Loads a fault for a getter, which cannot throw: an error waits for the next call that can, and
  /// the object stays a fault.
  func fire(_ object: ManagedObject) {
    do { try load(object) } catch { reporter.note(error) }
  }

  /// Loads a fault without calling `awakeFromFetch`.
  func fulfil(_ object: ManagedObject) throws {
    reads.missCount += 1
    if let stored = try reader.currentView().record(of: object.key) {
      return fulfil(object, stored)
    }
    // Set before observers are notified: an observer that reads the object would otherwise fire the
    // fault again.
    object.status = .gone
    if object.observation != 0 { registry.objectWillGo(object) }
    registry.unreportedGone.insert(object.key)
  }

  /// Gives a fault its record.
  private func fulfil(_ object: ManagedObject, _ stored: StoredRecord) {
    // Observers may have read the values before the object became a fault.
    if object.observation != 0 { object.recordWillChange(to: nil) }
    registry.cache.setRecord(stored.record, of: object)
    registry.cache.noteCurrent(object)
    object.generation = stored.generation
    if work.view?.hasInheritedUpdates == true { notePendingBase(of: object) }
  }

  /// Notes the base of the record of a clean object, which was just read, if an ancestor's pending
  /// update shows it.
  @inline(never)
  func notePendingBase(of object: ManagedObject) {
    registry.cache.notePending(work.view?.baseOfInheritedUpdate(of: object.key), of: object)
  }

  // MARK: - Counting

  /// Runs a fetch and counts which of its objects were in memory.
  func countingReads<T>(_ fetch: () throws -> [T]) rethrows -> [T] {
    let former = registry.cache.registrationCount
    let objects = try fetch()
    // Observers may have met other objects in between.
    let madeCount = min(registry.cache.registrationCount - former, objects.count)
    reads.missCount += madeCount
    reads.hitCount += objects.count - madeCount
    return objects
  }

  /// Reports the reads since the last time, if there were any.
  func reportReads(to instrument: any Instrument) {
    if reads.hitCount == 0, reads.missCount == 0 { return }
    instrument.note(.objectReads(hitCount: reads.hitCount, missCount: reads.missCount))
    reads = ObjectReads()
  }
}

/// How often a context needed an object and had it in memory, or read it beneath.
///
/// An object that is made by a fetch counts as read, and a fault that fires. Objects to which a
/// relationship leads are not counted: a hop takes a few instructions.
private struct ObjectReads {
  var hitCount = 0
  var missCount = 0
}

extension Change {
  /// The status of an object with this unsaved change.
  var status: ManagedObject.Status {
    switch kind {
    case .insert: .inserted
    case .update: isReadLock ? .clean : .updated
    case .delete: .deleted
    }
  }
}
