// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
package import StrataRecord

/// Calculates derived attributes: it gathers the objects that need it, change by change, and then
/// calculates their values from a view. Contexts, saves and batches all use it.
///
/// | derived from | calculated for |
/// | --- | --- |
/// | any source | a new object |
/// | a text | an object whose text has changed |
/// | a path | an object whose first to-one slot has changed; objects further down: see below |
/// | a count, a sum | an object whose relationship has gained or lost members |
/// | a sum | the owners of a member whose summed slot has changed |
/// | now | an object with a change in any slot that is not derived |
///
/// A path is also calculated for the objects whose path leads through an object that was deleted,
/// or whose next slot has changed.
///
/// It reads records, links and index entries only of those objects, and makes no object.
///
/// ## Isolation
/// Of one isolation at a time, with the views passed to it.
package struct Derivation {
  private let schema: Schema
  /// One moment for all that is calculated.
  private let now: Date
  /// The slots that are to be calculated, by object.
  package private(set) var wanted: [ObjectKey: SlotSet] = [:]
  private var memberships: MembershipChanges

  package init(_ schema: Schema) {
    self.schema = schema
    now = schema.clock.now
    memberships = MembershipChanges(schema.derivation.memberships)
  }

  // MARK: - Gathering

  /// Gathers the consequences of all unsaved changes of a context.
  ///
  /// - Parameter view: the context's view, with its unsaved changes.
  package mutating func want(unsaved working: Overlay, in view: ReadView) throws {
    let beneath = view.over(Overlay())
    for (depth, segment) in working.segments.enumerated() {
      for (key, change) in segment.changes where !working.isShadowed(key, above: depth) {
        guard change.isAnything else { continue }
        try memberships.add(key, change, over: beneath)
        try want(change.kind, of: key, changing: change.slots, in: view)
      }
      memberships.add(segment.links)
    }
    wantAggregates()
  }

  /// Gathers the consequences of one change.
  ///
  /// - Parameters:
  ///   - former: the record beneath the change; nil if the object is new.
  ///   - record: the record of the change; nil if it deletes the object.
  ///   - slots: the slots that differ; nil for all.
  package mutating func want(
    _ key: ObjectKey, from former: Record?, to record: Record?, changing slots: SlotSet?,
    in view: ReadView, over beneath: ReadView
  ) throws {
    let kind: Change.Kind = former == nil ? .insert : record == nil ? .delete : .update
    try memberships.add(key, from: former, to: record, changing: slots, over: beneath)
    try want(kind, of: key, changing: slots ?? SlotSet(), in: view)
  }

  /// Gathers the counts and sums over links that change.
  package mutating func want(_ links: LinkChanges) { memberships.add(links) }

  private mutating func want(
    _ kind: Change.Kind, of key: ObjectKey, changing slots: SlotSet, in view: ReadView
  ) throws {
    guard let entity = schema.derivation[key.entity] else { return }
    switch kind {
    case .update: try want(changing: slots, of: key, in: view)
    case .insert:
      if !entity.slots.isEmpty { wanted[key, default: SlotSet()].formUnion(entity.slots) }
      // Objects may have been left with a link to it when it was deleted before.
      for dependent in entity.dependents where dependent.mayDangle {
        try want(dependent, from: key, in: view)
      }
    case .delete: for dependent in entity.dependents { try want(dependent, from: key, in: view) }
    }
  }

  /// Gathers the consequences of a change of an object's slots, in it and in others.
  package mutating func want(
    changing slots: SlotSet, of key: ObjectKey, in view: ReadView
  ) throws {
    guard let entity = schema.derivation[key.entity] else { return }
    wantOwn(of: key, changing: slots, entity)
    for dependent in entity.dependents where slots.contains(dependent.slot) {
      try want(dependent, from: key, in: view)
    }
  }

  /// Gathers the counts and sums over the relationships that have gained or lost members.
  package mutating func wantAggregates() {
    for place in memberships.places {
      guard let entity = schema.entity(place.owner.entity) else { continue }
      for attribute in schema.derivation[place.owner.entity]?.derived ?? [] {
        switch attribute.source {
        case .count(let slot), .sum(let slot, of: _):
          guard entity.relationships[slot]?.number == place.relationship else { continue }
          wanted[place.owner, default: SlotSet()].insert(attribute.slot)
        case .text, .path, .now: continue
        }
      }
    }
  }

  private mutating func wantOwn(
    of key: ObjectKey, changing slots: SlotSet, _ entity: EntityDerivations
  ) {
    for attribute in entity.derived {
      let isWanted =
        switch attribute.source {
        case .text(_, let slot): slots.contains(slot)
        case .path(let steps, _): steps.first.map { slots.contains($0) } ?? false
        case .now: !slots.isSubset(of: entity.slots)
        case .count, .sum: false
        }
      if isWanted { wanted[key, default: SlotSet()].insert(attribute.slot) }
    }
  }

  private mutating func want(
    _ dependent: EntityDerivations.Dependent, from key: ObjectKey, in view: ReadView
  ) throws {
    var reached: Set<ObjectKey> = [key]
    for step in dependent.way {
      reached = Set(try reached.flatMap { try view.ends(of: step, from: $0) })
    }
    for key in reached {
      // In an entity that does not have the attribute, the slot may belong to another attribute.
      guard schema.derivation[key.entity]?.reaching.contains(dependent.derived) == true else {
        continue
      }
      wanted[key, default: SlotSet()].insert(dependent.derived)
    }
  }

  // MARK: - Values

  /// The gathered objects whose records in `view` have other values, with their new records.
  package func records(
    in view: ReadView, into arena: inout RecordArena
  ) throws -> [ObjectKey: Record] {
    var records: [ObjectKey: Record] = [:]
    for key in wanted.keys {
      guard let stored = try view.record(of: key) else { continue }
      records[key] = try record(of: key, stored.record, in: view, into: &arena)
    }
    return records
  }

  /// The record that replaces `stored`, with the calculated values; nil if `stored` has the values
  /// already.
  ///
  /// - Throws: `DerivedValueTooLarge`; the errors of reading.
  package func record(
    of key: ObjectKey, _ stored: Record, in view: ReadView, into arena: inout RecordArena
  ) throws -> Record? {
    guard let slots = wanted[key], let entity = schema.entity(key.entity) else { return nil }
    return try entity.layout.withDraft(of: stored) { draft in
      for attribute in schema.derivation[key.entity]?.derived ?? []
      where slots.contains(attribute.slot) {
        draft.setValue(
          try value(of: attribute, stored, key, entity, in: view), at: attribute.slot)
      }
      if let refused = draft.refused?.min(by: { $0.key < $1.key }) {
        throw DerivedValueTooLarge(key: key, slot: refused.key, refusal: refused.value)
      }
      return draft.changed.isEmpty ? nil : draft.encode(into: &arena)
    }
  }

  private func value(
    of attribute: DerivedAttribute, _ record: Record, _ key: ObjectKey, _ entity: EntitySchema,
    in view: ReadView
  ) throws -> PropertyValue {
    switch attribute.source {
    case .now: return .date(now)
    case .text(let form, let slot):
      guard
        case .string(let text) = record.value(
          at: slot, layout: entity.layout, store: entity.store)
      else { return .null }
      return .string(form.form(of: text))
    case .path(let steps, let source):
      return try end(of: steps, source, from: record, entity, in: view)
    case .count(let slot):
      guard let relationship = entity.relationships[slot] else { return .int(0) }
      return .int(Int64(try view.memberCount(of: relationship, owner: key)))
    case .sum(let slot, let summed):
      var sum = ValueSum()
      guard let relationship = entity.relationships[slot],
        let type = entity.description.properties[attribute.slot].attribute?.type
      else { return .null }
      for member in try view.members(of: relationship, owner: key) {
        guard
          member.key.entity == relationship.destination
            || schema.canLead(relationship, to: member.key.entity),
          let stored = try view.record(of: member.key),
          let layout = schema.entity(member.key.entity)?.layout
        else { continue }
        sum.add(stored.record.value(at: summed, layout: layout, store: entity.store))
      }
      return sum.value(as: type)
    }
  }

  private func end(
    of steps: [Int], _ source: Int, from record: Record, _ entity: EntitySchema, in view: ReadView
  ) throws -> PropertyValue {
    var (record, layout) = (record, entity.layout)
    for step in steps {
      guard let target = record.toOne(at: step, layout: layout),
        let stored = try view.record(of: target),
        let next = schema.entity(target.entity)
      else { return .null }
      (record, layout) = (stored.record, next.layout)
    }
    return record.value(at: source, layout: layout, store: entity.store)
  }
}
