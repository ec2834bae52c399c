// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Checks the model's validation rules for the objects that a batch inserts and updates. The
/// `validateFor…` methods are not called, because the batch makes no instances.
struct BatchRules {
  private let schema: Schema
  /// The relationships that gain or lose members, or belong to inserted or updated objects, if the
  /// model has a rule about their number of members. Their members are counted at the end of the
  /// batch.
  private var counted: Set<LinkPlace> = []
  /// The objects that are checked at the end of the batch: a later part may still change them, or
  /// their derived attributes have rules.
  private var deferred: Set<ObjectKey> = []
  private let defersAll: Bool
  private var ruleChecker = RuleChecker()

  /// - Parameter changesObjects: whether a part may change an existing object, or an object that an
  ///   earlier part has inserted.
  init(_ schema: Schema, changesObjects: Bool) {
    self.schema = schema
    defersAll = changesObjects
  }

  /// Checks the objects of one part.
  ///
  /// - Parameter current: the state before the part.
  /// - Throws: `ContextError.validationFailed`; the errors of reading.
  mutating func check(_ part: Segment, over current: ReadView) throws {
    if schema.validation.isEmpty { return }
    var failures = ValidationFailures()
    var memberships = MembershipChanges(schema.validation.memberships)
    for (key, change) in part.changes {
      try memberships.add(key, change, over: current)
      guard let record = change.record else { continue }
      if defersAll {
        if schema.validation[key.entity] != nil { deferred.insert(key) }
      } else {
        check(record, of: key, derived: false, &failures)
      }
      for count in schema.validation[key.entity]?.counts ?? [] {
        counted.insert(LinkPlace(count.relationship.number, key))
      }
    }
    memberships.add(part.links)
    counted.formUnion(memberships.places)
    if schema.validation.concernsDerived { try deferDerived(part, current) }
    try throwFailures(failures)
  }

  /// Checks the deferred objects, and counts the members of the relationships that changed. It is
  /// called at the end of the batch.
  ///
  /// - Throws: `ContextError.validationFailed`; the errors of reading.
  mutating func finish(in view: ReadView) throws {
    var failures = ValidationFailures()
    for key in deferred.sorted() {
      guard let record = try view.record(of: key)?.record else { continue }
      if defersAll { check(record, of: key, derived: false, &failures) }
      check(record, of: key, derived: true, &failures)
    }
    for place in counted { try failures.checkCount(at: place, in: view) }
    try throwFailures(failures)
  }

  /// Defers the objects in which a part changes derived attributes that have rules.
  private mutating func deferDerived(_ part: Segment, _ current: ReadView) throws {
    let own = Overlay([part])
    var derivation = Derivation(schema)
    try derivation.want(unsaved: own, in: current.over(own))
    for key in derivation.wanted.keys
    where schema.validation[key.entity]?.attributes.contains(where: \.isDerived) == true {
      deferred.insert(key)
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
