// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The unique values that a batch gives to objects, checked when all are written: a later write may
/// free a value that another object still has.
struct DeferredUniqueness {
  private var changed: [(key: ObjectKey, index: PropertyNumber)] = []

  /// Notes the values that the writes of a part change.
  mutating func note(_ plan: SavePlan) {
    for section in plan.sections {
      for index in section.entity.indexes where index.isUnique {
        for item in section.items where item.new != nil && index.covers(anyOf: item.differing) {
          changed.append((item.key, index.number))
        }
      }
    }
  }

  /// Looks whether another object has one of the values.
  ///
  /// - Parameter watch: can cancel it.
  /// - Throws: `StoreError.uniquenessViolations`; `CancellationError`; the errors of reading.
  func check(in view: ReadView, _ watch: BatchWatch) throws {
    var violations: [StoreError.UniquenessViolation] = []
    for (place, value) in changed.enumerated() {
      if place.isMultiple(of: BatchWatch.stride) { try watch.check() }
      guard let found = try violation(of: value.key, value.index, view) else { continue }
      violations.append(found)
      if violations.count == StoreError.UniquenessViolation.countMax { break }
    }
    if !violations.isEmpty { throw StoreError.uniquenessViolations(violations) }
  }

  private func violation(
    of key: ObjectKey, _ number: PropertyNumber, _ view: ReadView
  ) throws -> StoreError.UniquenessViolation? {
    guard let entity = view.schema.entity(key.entity),
      let index = entity.indexes.first(where: { $0.number == number }),
      let record = try view.record(of: key)?.record,
      let holder = try view.holder(ofValueOf: record, entity, in: index, besides: key)
    else { return nil }
    return StoreError.UniquenessViolation(key, index, heldBy: holder, entity)
  }
}
