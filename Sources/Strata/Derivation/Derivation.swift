// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// Works out the derived attributes of what the topmost context is about to save: of the objects that
/// changed, and of those that depend on them. All that nested contexts have pushed is there together,
/// so what they saw of each other does not matter.
///
/// | derived from | worked out for |
/// | --- | --- |
/// | anything | a new object |
/// | a text | an object whose text was set |
/// | a path | an object whose first to-one slot was set; those whose path leads through an object of which the next slot was set, or that was deleted |
/// | a count, a sum | an object whose relationship has gained or lost members |
/// | a sum | the owners of a member whose summed slot was set |
/// | now | an object of which anything was set that is not derived |
///
/// It goes by records: no object is made. What it sets is no edit of the program's: it is not recorded
/// for undo, and an object's `willSave` is not called again for it.
///
/// A save may work it out several times, because what children save meanwhile goes along.
///
/// ## Isolation
/// The context's.
struct Derivation {
  /// All that was unsaved the last time, with what was set then.
  private var seen = Overlay()
  /// One moment for the whole save.
  private let now = Date()
  /// What is to be worked out, by object.
  private(set) var wanted: [ObjectKey: SlotSet] = [:]

  /// Whether all of `working` has been dealt with.
  func hasSeen(_ working: Overlay) -> Bool { working.isIdentical(to: seen) }

  /// `working` is what was left of it.
  mutating func note(_ working: Overlay) { seen = working }

  /// What there is to set, as a segment to be put above what `view` shows of the context's own.
  mutating func segment(
    over working: Overlay, in view: ReadView
  ) throws -> Segment {
    wanted = [:]
    let schema = view.schema.derivation
    var memberships = MembershipChanges(schema.memberships, in: view)
    for (depth, segment) in working.segments.enumerated() {
      for (key, change) in segment.changes where !working.isShadowed(key, above: depth) {
        guard !change.isReadLock, change.kind != .delete || change.base != nil else { continue }
        try memberships.add(key, change)
        guard let entity = schema[key.entity] else { continue }
        if change.kind != .delete { wantOwn(of: key, change, entity) }
        for dependent in entity.dependents
        where change.kind == .delete || change.slots.contains(dependent.slot) {
          try want(dependent, from: key, in: view)
        }
      }
      memberships.add(segment.links)
    }
    for place in memberships.places { wantAggregates(over: place, view.schema) }
    return try derived(over: working, in: view)
  }

  // MARK: - What is wanted

  private mutating func wantOwn(
    of key: ObjectKey, _ change: Change, _ entity: EntityDerivations
  ) {
    if change.kind != .insert { return wantOwn(of: key, setting: change.slots, entity) }
    for attribute in entity.derived { wanted[key, default: SlotSet()].insert(attribute.slot) }
  }

  /// Wants what is derived in an object from slots of its own that are set.
  mutating func wantOwn(of key: ObjectKey, setting slots: SlotSet, _ entity: EntityDerivations) {
    for attribute in entity.derived {
      let isWanted =
        switch attribute.source {
        case .text(_, let slot): slots.contains(slot)
        case .path(let steps, _): steps.first.map { slots.contains($0) } ?? false
        case .now:
          !slots.isSubset(of: entity.derived.reduce(into: SlotSet()) { $0.insert($1.slot) })
        case .count, .sum: false
        }
      if isWanted { wanted[key, default: SlotSet()].insert(attribute.slot) }
    }
  }

  /// Wants what other objects derive from one that is changed or deleted.
  mutating func want(
    _ dependent: EntityDerivations.Dependent, from key: ObjectKey, in view: ReadView
  ) throws {
    var reached: Set<ObjectKey> = [key]
    for step in dependent.way {
      var next: Set<ObjectKey> = []
      for key in reached {
        switch step {
        case .target(let slot):
          guard case .record(let stored) = try view.find(key),
            let layout = view.schema.entity(key.entity)?.layout,
            let target = stored.record.toOne(at: slot, layout: layout)
          else { continue }
          next.insert(target)
        case .linked(let number):
          for member in try view.linked(at: LinkPlace(number, key), isOrdered: false) {
            next.insert(member.key)
          }
        case .referrers(let index, let slot):
          next.formUnion(try view.referrers(to: key, index: index, slot: slot))
        }
      }
      reached = next
    }
    for key in reached { wanted[key, default: SlotSet()].insert(dependent.derived) }
  }

  /// Wants what is counted or summed over a relationship that has gained or lost members.
  mutating func wantAggregates(over place: LinkPlace, _ schema: Schema) {
    guard let entity = schema.entity(place.owner.entity) else { return }
    for attribute in schema.derivation[place.owner.entity]?.derived ?? [] {
      switch attribute.source {
      case .count(let slot), .sum(let slot, of: _):
        guard entity.relationships[slot]?.number == place.relationship else { continue }
        wanted[place.owner, default: SlotSet()].insert(attribute.slot)
      case .text, .path, .now: continue
      }
    }
  }

  // MARK: - Values

  private func derived(over working: Overlay, in view: ReadView) throws -> Segment {
    var changes: [ObjectKey: Change] = [:]
    var arena = RecordArena()
    for (key, slots) in wanted {
      guard case .record(let stored) = try view.find(key),
        let entity = view.schema.entity(key.entity)
      else { continue }
      let draft = try draft(of: slots, key, stored.record, entity, in: view)
      if draft.changed.isEmpty { continue }
      let record = draft.encode(into: &arena)
      var change = working.change(for: key) ?? .readLock(Base(stored))
      change.record = record
      change.slots.formUnion(draft.changed)
      changes[key] = change
    }
    return Segment(changes: changes, links: LinkChanges(), schema: view.schema)
  }

  /// The record that an object is to have in place of `stored`, by what is wanted of it; nil if that is
  /// what it has.
  func derived(
    _ key: ObjectKey, _ stored: Record, _ entity: EntitySchema, in view: ReadView
  ) throws -> Record? {
    guard let slots = wanted[key] else { return nil }
    let draft = try draft(of: slots, key, stored, entity, in: view)
    var arena = RecordArena()
    return draft.changed.isEmpty ? nil : draft.encode(into: &arena)
  }

  private func draft(
    of slots: SlotSet, _ key: ObjectKey, _ record: Record, _ entity: EntitySchema,
    in view: ReadView
  ) throws -> Draft {
    let draft = Draft(layout: entity.layout, base: record)
    for attribute in view.schema.derivation[key.entity]?.derived ?? []
    where slots.contains(attribute.slot) {
      draft.setValue(
        try value(of: attribute, record, key, entity, in: view), at: attribute.slot)
    }
    return draft
  }

  private func value(
    of attribute: DerivedAttribute, _ record: Record, _ key: ObjectKey, _ entity: EntitySchema,
    in view: ReadView
  ) throws -> Value {
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
        guard case .record(let stored) = try view.find(member.key),
          let layout = view.schema.entity(member.key.entity)?.layout
        else { continue }
        sum.add(stored.record.value(at: summed, layout: layout, store: entity.store))
      }
      return sum.value(as: type)
    }
  }

  private func end(
    of steps: [Int], _ source: Int, from record: Record, _ entity: EntitySchema, in view: ReadView
  ) throws -> Value {
    var (record, layout) = (record, entity.layout)
    for step in steps {
      guard let target = record.toOne(at: step, layout: layout),
        case .record(let stored) = try view.find(target),
        let next = view.schema.entity(target.entity)
      else { return .null }
      (record, layout) = (stored.record, next.layout)
    }
    return record.value(at: source, layout: layout, store: entity.store)
  }
}
