// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The effects of a batch delete on the objects that stay: derived attributes that change, and
/// rules of the model that the objects break.
///
/// It checks only changes, as a save does: objects that lose a target, relationships that lose
/// members, and attributes that are derived from either. It does not report earlier violations that
/// are unrelated to the deletion.
struct RuleConsequences: DeletionConsequences {
  private let schema: Schema
  private var derivation: Derivation
  /// The relationships that lose members, if the model has a rule about their number of members.
  private var counted: MembershipChanges
  private var ruleChecker = RuleChecker()
  private var failures = ValidationFailures()

  init(_ schema: Schema) {
    self.schema = schema
    derivation = Derivation(schema)
    counted = MembershipChanges(schema.validation.memberships)
  }

  func concerns(_ entity: EntityNumber) -> Bool {
    schema.derivation[entity]?.dependents.isEmpty == false
      || schema.derivation.memberships[entity] != nil
      || schema.validation.memberships[entity] != nil
  }

  // MARK: - Before

  mutating func willDelete(_ key: ObjectKey, _ record: Record, in view: ReadView) throws {
    try counted.add(key, from: record, to: nil, changing: nil, over: view)
    try derivation.want(key, from: record, to: nil, changing: nil, in: view, over: view)
  }

  mutating func willClear(
    _ slots: SlotSet, of key: ObjectKey, _ record: Record, in view: ReadView
  ) throws {
    try derivation.want(changing: slots, of: key, in: view)
    guard let entity = schema.entity(key.entity) else { return }
    for slot in schema.validation[key.entity]?.requiredTargets ?? [] where slots.contains(slot) {
      failures.add(key, entity, at: slot, .required)
    }
  }

  // MARK: - After

  mutating func reached() -> [ObjectKey] {
    derivation.wantAggregates()
    return derivation.wanted.keys.sorted()
  }

  mutating func record(of key: ObjectKey, _ stored: Record, in view: ReadView) throws -> Record {
    var arena = RecordArena()
    guard let entity = schema.entity(key.entity),
      let record = try derivation.record(of: key, stored, in: view, into: &arena)
    else { return stored }
    for attribute in schema.validation[key.entity]?.attributes ?? []
    where attribute.isDerived && derivation.wanted[key]?.contains(attribute.slot) == true {
      failures.check(attribute, of: key, entity, record, with: &ruleChecker)
    }
    return record
  }

  mutating func check(in view: ReadView) throws {
    for place in counted.places { try failures.checkCount(at: place, in: view) }
    let failures = failures.sorted
    if !failures.isEmpty { throw ContextError.validationFailed(failures) }
  }
}
