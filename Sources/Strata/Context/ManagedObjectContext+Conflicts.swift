// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
public import StrataStore

extension ManagedObjectContext {
  /// Makes the save that reaches the store check whether another save has changed `object` since it
  /// was read here, although this context does not change it: for a decision that depends on it. A
  /// change is a conflict like any other, for the merge policy. Core Data: `detectConflicts(for:)`.
  ///
  /// Nothing is written for it, and it counts as no change: `hasChanges`, `updatedObjects` and the
  /// notifications leave it out. The next `save()` hands the request on, up to the topmost
  /// context's save, which checks. It does so even if there is nothing else to save. `rollback()`
  /// withdraws the request. An object with unsaved changes is checked anyway.
  ///
  /// - Precondition: the object is of this context.
  /// - Throws: `ContextError.objectNotFound` if the object is gone; `StoreError` if reading it
  ///   fails.
  public func detectConflicts(for object: ManagedObject) throws {
    registry.requireOwn(object)
    if object.isFault { try loader.load(object) }
    work.encodeEdits()
    guard object.isAlive else { throw ContextError.objectNotFound(object.objectID) }
    guard object.status == .clean, let read = registry.cache.base(of: object),
      work.working.change(for: object.key) == nil
    else { return }
    if !registry.cache.isCurrent(object) { work.doubt.insert(object.key) }
    let segment = Segment(changes: [object.key: .readLock(read)], schema: schema)
    work.changeWorking(to: work.working.adding(segment).compacted())
    reporter.noteTouched()
  }

  /// Finds early the unsaved changes that violate a uniqueness constraint in the state that this
  /// context sees: its own changes, its ancestors' unsaved changes, and the store. A save to a
  /// parent context does not check it. The save that reaches the store decides, by the state that
  /// it makes there (`StoreError.uniquenessViolations`, or the merge policy). Saves of others until
  /// then may cause violations or remove them.
  ///
  /// Of two unsaved objects here with one value the later inserted one is named, with the other as
  /// `existing`. Sorted by object.
  ///
  /// - Throws: `StoreError` if reading fails, and an earlier error of reading a property.
  /// - Complexity: O(unsaved objects × log objects).
  public func constraintConflicts() throws -> [StoreError.UniquenessViolation] {
    try reporter.throwDeferredError()
    let view = try reader.currentViewIncludingEdits()
    var violations: [StoreError.UniquenessViolation] = []
    for (key, change) in work.working.changes.sorted(by: { $0.key < $1.key }) {
      guard let record = change.record, let entity = schema.entity(key.entity) else { continue }
      for index in entity.indexes where index.isUnique && change.isAbout(index) {
        guard
          let holder = try view.holder(ofValueOf: record, entity, in: index, besides: key),
          !work.working.reports(holder, after: key, index)
        else { continue }
        violations.append(StoreError.UniquenessViolation(key, index, heldBy: holder, entity))
      }
    }
    return violations
  }
}

extension Overlay {
  /// Whether the collision of an object with `key` is reported for that object.
  fileprivate func reports(
    _ holder: ObjectKey, after key: ObjectKey, _ index: IndexSchema
  ) -> Bool {
    guard holder > key, let change = change(for: holder) else { return false }
    return change.isAbout(index)
  }
}

extension Change {
  /// Whether the change gives the object its value in the index.
  fileprivate func isAbout(_ index: IndexSchema) -> Bool {
    kind == .insert || index.parts.contains { slots.contains($0.slot) }
  }
}
