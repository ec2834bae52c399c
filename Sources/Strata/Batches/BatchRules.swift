// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The model's validation rules for the objects that a batch inserts and updates. The
/// `validateFor…` methods are not called: there are no objects.
struct BatchRules {
  private let schema: Schema
  /// The relationships that gain or lose members, or belong to new objects, if the model has a rule
  /// about how many they have. They are counted at the end of the batch.
  private var counted: Set<LinkPlace> = []
  private var ruleChecker = RuleChecker()

  init(_ schema: Schema) { self.schema = schema }

  /// Checks the objects of one part.
  ///
  /// - Parameter current: the state beneath the part.
  /// - Throws: `ContextError.validationFailed`; the errors of reading.
  mutating func check(_ part: Segment, over current: ReadView) throws {
    if schema.validation.isEmpty { return }
    var failures = ValidationFailures()
    var memberships = MembershipChanges(schema.validation.memberships)
    for (key, change) in part.changes {
      try memberships.add(key, change, over: current)
      guard let record = change.record else { continue }
      check(record, of: key, derived: false, &failures)
      for count in schema.validation[key.entity]?.counts ?? [] {
        counted.insert(LinkPlace(count.relationship.number, key))
      }
    }
    memberships.add(part.links)
    counted.formUnion(memberships.places)
    if schema.validation.concernsDerived { try checkDerived(part, current, &failures) }
    try throwFailures(failures)
  }

  /// Counts the members of the relationships that changed.
  ///
  /// - Throws: `ContextError.validationFailed`; the errors of reading.
  func finish(in view: ReadView) throws {
    var failures = ValidationFailures()
    for place in counted { try failures.checkCount(at: place, in: view) }
    try throwFailures(failures)
  }

  private mutating func checkDerived(
    _ part: Segment, _ current: ReadView, _ failures: inout ValidationFailures
  ) throws {
    let own = Overlay([part])
    let view = current.over(own)
    var derivation = Derivation(schema)
    try derivation.want(unsaved: own, in: view)
    var arena = RecordArena()
    for (key, record) in try derivation.records(in: view, into: &arena) {
      check(record, of: key, derived: true, &failures)
    }
  }

  private mutating func check(
    _ record: Record, of key: ObjectKey, derived isDerived: Bool,
    _ failures: inout ValidationFailures
  ) {
    guard let entity = schema.entity(key.entity), let validation = schema.validation[key.entity]
    else { return }
    for attribute in validation.attributes where attribute.isDerived == isDerived {
      failures.check(attribute, of: key, entity, record, with: &ruleChecker)
    }
    if isDerived { return }
    for slot in validation.requiredTargets
    where record.toOne(at: slot, layout: entity.layout) == nil {
      failures.add(key, entity, at: slot, .required)
    }
  }

  private func throwFailures(_ failures: ValidationFailures) throws {
    let failures = failures.sorted
    if !failures.isEmpty { throw ContextError.validationFailed(failures) }
  }
}
