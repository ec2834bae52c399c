// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Collects the failures that a validation finds, in the context or in a batch delete.
struct ValidationFailures {
  private var found: [(key: ObjectKey, rank: Int, failure: ValidationFailure)] = []

  /// All failures, by object and by property. The failures of hooks come after those of properties.
  var sorted: [ValidationFailure] {
    found.sorted { ($0.key, $0.rank) < ($1.key, $1.rank) }.map(\.failure)
  }

  /// The failures of the property at `slot`.
  func failures(at slot: Int) -> [ValidationFailure] {
    found.filter { $0.rank == slot }.map(\.failure)
  }

  /// Checks the value that `record` has for `attribute`.
  mutating func check(
    _ attribute: EntityValidation.AttributeCheck, of key: ObjectKey, _ entity: EntitySchema,
    _ record: Record, with checker: inout RuleChecker
  ) {
    let (rules, value) = checker.broken(attribute, by: record, entity.layout, store: entity.store)
    for rule in rules { add(key, entity, at: attribute.slot, .attribute(rule), value: value) }
  }

  /// Checks the number of members of the relationship at `place`.
  mutating func checkCount(at place: LinkPlace, in view: ReadView) throws {
    guard let (rule, count) = try view.brokenCount(at: place),
      let entity = view.schema.entity(place.owner.entity)
    else { return }
    add(
      place.owner, entity, at: rule.relationship.slot,
      count == 0 ? .required : .count(min: rule.min, max: rule.max), value: .int(Int64(count)))
  }

  /// Adds the values that an object was given and that cannot be stored, by slot.
  mutating func add(_ refused: [Int: ValueRefusal], of key: ObjectKey, _ entity: EntitySchema) {
    for (slot, refusal) in refused {
      switch refusal {
      case .tooLarge(let byteCount, let byteCountMax):
        let value = PropertyValue.int(Int64(byteCount))
        add(key, entity, at: slot, .byteCount(max: byteCountMax), value: value)
      case .notEncodable(let error): add(key, entity, at: slot, .encodable, error: error)
      }
    }
  }

  /// - Parameter slot: nil for a failure of a hook.
  mutating func add(
    _ key: ObjectKey, _ entity: EntitySchema, at slot: Int? = nil, _ rule: ValidationFailure.Rule,
    value: PropertyValue = .null, error: (any Error)? = nil
  ) {
    let failure = ValidationFailure(
      objectID: ObjectID(store: entity.store, key: key), entity: entity.description.name,
      property: slot.map { entity.description.properties[$0].name }, rule: rule, value: value,
      error: error)
    found.append((key, slot ?? .max, failure))
  }
}
