// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// What a batch delete does to the objects that stay, by derived attributes and by rules of the model.
///
/// It looks at what changes, as a save does: objects that lose a target,
/// relationships that lose members, attributes that are derived from either. What was wrong before and
/// has nothing to do with the deletion is not looked at.
struct RuleConsequences: DeletionConsequences {
  private let schema: Schema
  private var derivation: Derivation
  /// Relationships that lose members, and are counted or summed over by derived attributes.
  private var aggregated: Set<LinkPlace> = []
  /// The same, if the model has a rule about how many members they have.
  private var counted: Set<LinkPlace> = []
  private var ruleChecker = RuleChecker()
  private var failures: [(key: ObjectKey, slot: Int, failure: ValidationFailure)] = []

  init(_ schema: Schema) {
    self.schema = schema
    derivation = Derivation(schema)
  }

  func concerns(_ entity: EntityNumber) -> Bool {
    schema.derivation[entity]?.dependents.isEmpty == false
      || schema.derivation.memberships[entity] != nil
      || schema.validation.memberships[entity] != nil
  }

  // MARK: - Before

  mutating func willDelete(_ key: ObjectKey, _ record: Record, in view: ReadView) throws {
    aggregated.formUnion(try losses(of: key, record, schema.derivation.memberships, view))
    counted.formUnion(try losses(of: key, record, schema.validation.memberships, view))
    try derivation.want(ofDeleted: key, in: view)
  }

  mutating func willClear(
    _ slots: SlotSet, of key: ObjectKey, _ record: Record, in view: ReadView
  ) throws {
    try derivation.want(changing: slots, of: key, in: view)
    guard let entity = schema.entity(key.entity) else { return }
    for slot in schema.validation[key.entity]?.requiredTargets ?? [] where slots.contains(slot) {
      report(key, entity, at: slot, .required)
    }
  }

  /// The relationships that lose the object as a member.
  private func losses(
    of key: ObjectKey, _ record: Record, _ memberships: MembershipSchema, _ view: ReadView
  ) throws -> [LinkPlace] {
    guard let entity = memberships[key.entity], let layout = schema.entity(key.entity)?.layout
    else { return [] }
    var places = entity.slots.compactMap { slot, relationship in
      record.toOne(at: slot, layout: layout).map { LinkPlace(relationship, $0) }
    }
    for (relationship, end) in entity.ends {
      for member in try view.linked(at: LinkPlace(relationship, key), isOrdered: false) {
        places.append(LinkPlace(end, member.key))
      }
    }
    return places
  }

  // MARK: - After

  mutating func reached() -> [ObjectKey] {
    for place in aggregated { derivation.wantAggregates(over: place) }
    return derivation.wanted.keys.sorted()
  }

  mutating func record(of key: ObjectKey, _ stored: Record, in view: ReadView) throws -> Record {
    var arena = RecordArena()
    guard let entity = schema.entity(key.entity),
      let record = try derivation.record(of: key, stored, in: view, into: &arena)
    else { return stored }
    for attribute in schema.validation[key.entity]?.attributes ?? []
    where attribute.isDerived && derivation.wanted[key]?.contains(attribute.slot) == true {
      let (rules, value) = ruleChecker.broken(
        attribute, by: record, entity.layout, store: schema.store)
      for rule in rules { report(key, entity, at: attribute.slot, .attribute(rule), value: value) }
    }
    return record
  }

  mutating func check(in view: ReadView) throws {
    for place in counted {
      guard let entity = schema.entity(place.owner.entity),
        let count = schema.validation[place.owner.entity]?.counts.first(where: {
          $0.relationship.number == place.relationship
        }),
        try view.exists(place.owner)
      else { continue }
      let found = try view.memberCount(of: count.relationship, owner: place.owner)
      if count.allows(found) { continue }
      report(
        place.owner, entity, at: count.relationship.slot,
        found == 0 ? .required : .count(min: count.min, max: count.max),
        value: .int(Int64(found)))
    }
    if failures.isEmpty { return }
    failures.sort { ($0.key, $0.slot) < ($1.key, $1.slot) }
    throw ContextError.validationFailed(failures.map(\.failure))
  }

  private mutating func report(
    _ key: ObjectKey, _ entity: EntitySchema, at slot: Int, _ rule: ValidationFailure.Rule,
    value: Value = .null
  ) {
    let failure = ValidationFailure(
      ObjectID(store: schema.store, key: key), of: entity.description, at: slot, rule, value: value)
    failures.append((key, slot, failure))
  }
}
