// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
public import StrataStore

extension ManagedObjectContext {
  /// Asks early which of the unsaved changes here break a uniqueness constraint, by what this context
  /// sees: its own changes, those that its ancestors have not saved, and the store. A save to a parent
  /// context does not ask; the one that reaches the store decides, by the state that it makes there
  /// (`StoreError.uniquenessViolations`, or the merge policy). What others save until then may bring
  /// violations or take them away.
  ///
  /// Of two unsaved objects here with one value the later inserted one is named, with the other as
  /// `existing`. Sorted by object. O(unsaved objects × log objects).
  ///
  /// - Throws: `StoreError` if reading fails, and an error that reading a property met before.
  public func constraintConflicts() throws -> [UniquenessViolation] {
    try reporter.throwDeferredError()
    let view = try reader.currentViewIncludingEdits()
    var violations: [UniquenessViolation] = []
    for (key, change) in work.working.changes.sorted(by: { $0.key < $1.key }) {
      guard let record = change.record, let entity = schema.entity(key.entity) else { continue }
      for index in entity.indexes where index.isUnique && change.isAbout(index) {
        guard
          let holder = try view.holder(ofValueOf: record, entity, in: index, besides: key),
          !isReported(holder, after: key, index)
        else { continue }
        violations.append(
          UniquenessViolation(
            objectID: ObjectID(store: schema.store, key: key), entity: entity.description.name,
            attributes: index.names(in: entity.description),
            existing: ObjectID(store: schema.store, key: holder)))
      }
    }
    return violations
  }

  /// Whether the collision of an object with `key` is told of when its own turn comes.
  private func isReported(
    _ holder: ObjectKey, after key: ObjectKey, _ index: IndexSchema
  ) -> Bool {
    guard holder > key, let change = work.working.change(for: holder) else { return false }
    return change.isAbout(index)
  }
}

extension Change {
  /// Whether the change gives the object its value in the index.
  fileprivate func isAbout(_ index: IndexSchema) -> Bool {
    kind == .insert || index.parts.contains { slots.contains($0.slot) }
  }
}
