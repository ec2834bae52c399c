// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Compares a child's save with the state of its parent, and asks the child's merge policy to
/// decide on each conflict, as `VersionCheck` does at the store.
///
/// It is a merge of the child's changes onto the parent's state, and a save of the result. A change
/// is in conflict if the parent shows another value of a property that it sets than its setter was
/// shown; and about the whole object if it deletes that, or has only read it, or if the
/// parent has deleted it. Links of to-many relationships and attributes with merge rules are never
/// in conflict.
///
/// Under `.mergeByPropertyObjectTrump` it finds nothing: `Composition` carries that policy out.
package struct PushCheck {
  /// The state of an object in the receiver, for a change of it that is made there.
  private enum Beneath {
    case there(Base)
    case gone
  }

  private let pushed: Segment
  private let ground: Ground
  private let schema: Schema
  private let policy: MergePolicy
  private var arena = RecordArena()
  /// The changes that are not handed over as they were made; nil for one that is dropped.
  private var changes: [ObjectKey: Change?] = [:]
  /// The objects on which the policy was asked, and whether the receiver has them afterwards.
  private var decided: [ObjectKey: Bool] = [:]

  /// The conflicts that the policy lets fail. The save must not be handed over.
  package private(set) var conflicts: [MergePolicy.Conflict] = []
  /// The invalid decisions of a custom policy. The save must not be handed over.
  package private(set) var mistakes: [MergePolicy.Mistake] = []
  /// The new links to objects that the store has lost, if the policy refuses them. The save must
  /// not be handed over.
  package private(set) var lostTargets: [LostTarget] = []

  /// A new link whose target the store has lost.
  package struct LostTarget {
    package let owner: ObjectKey
    /// The relationship's slot; nil if the model has none.
    package let slot: Int?
    package let target: ObjectKey
  }

  /// - Parameters:
  ///   - receiver: the receiver's unsaved changes.
  ///   - ground: the state beneath the receiver, of the objects that are in doubt.
  package init(
    of pushed: Segment, onto receiver: Overlay, on ground: Ground, _ policy: MergePolicy,
    schema: Schema
  ) {
    self.pushed = pushed
    self.ground = ground
    self.policy = policy
    self.schema = schema
    if !Self.isNeeded(by: policy) || PlantedFault.pushUnchecked.isPlanted(in: schema) { return }
    if policy == .error, !ground.isEmpty { findLostTargets(beneath: receiver) }
    if pushed.changes.isInsertsOnly { return }
    let touching = receiver.segments.filter { !$0.changes.isApart(from: pushed.changes) }
    if touching.isEmpty && ground.isEmpty { return }
    let (newer, saving) = (Overlay(touching).unfrozen, Overlay(touching).frozen)
    for (place, key) in pushed.changes.keys.enumerated() {
      guard let beneath = beneath(key, newer, saving), let entity = schema.entity(key.entity),
        let origin = pushed.changes.values[place].base?.lastShown(entity.layout, into: &arena)
      else { continue }
      check(pushed.changes.values[place], madeFrom: origin, of: key, entity, against: beneath)
    }
  }

  /// The objects to look up beneath the receiver: those in doubt, and in a checked save those whose
  /// makers had not read the same, because it counts as made from the receiver's state.
  package static func doubt(
    of pushed: Segment, beyond doubt: Doubt, _ policy: MergePolicy
  ) -> Doubt {
    if !isNeeded(by: policy) || pushed.changes.isInsertsOnly { return doubt }
    var doubt = doubt
    for (place, key) in pushed.changes.keys.enumerated()
    where pushed.changes.values[place].base?.hasReadOriginAlone == false {
      doubt.insert(key)
    }
    return doubt
  }

  /// Whether a merge policy decides on conflicts in saves to a parent.
  package static func isNeeded(by policy: MergePolicy) -> Bool {
    policy != .mergeByPropertyObjectTrump
  }

  /// The objects that the policy has decided on, and whether the receiver has them afterwards.
  /// Ascending.
  package var decisions: [(key: ObjectKey, isThere: Bool)] {
    decided.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The save with the policy's decisions, made from the receiver's state. So the receiver's own
  /// save does not meet the same conflict again.
  package var segment: Segment {
    if changes.isEmpty { return pushed }
    return Segment(
      changes: pushed.changes.replacing(changes), links: pushed.links, schema: schema)
  }

  /// Finds new links to objects that the store has lost. The receiver's own deletions are none:
  /// its links to them are dropped.
  private mutating func findLostTargets(beneath receiver: Overlay) {
    let lost = Set(
      ground.absentKeys.filter {
        pushed.changes.index(of: $0) == nil && receiver.change(for: $0) == nil
      })
    if lost.isEmpty { return }
    for (key, change) in pushed.changes {
      guard let record = change.record, let entity = schema.entity(key.entity) else { continue }
      for end in entity.ends.targets where change.slots.contains(end.slot) {
        guard let target = record.toOne(at: end.slot, layout: entity.layout),
          lost.contains(target)
        else { continue }
        lostTargets.append(LostTarget(owner: key, slot: end.slot, target: target))
      }
    }
    for (place, links) in pushed.links.byPlace {
      let slot = schema.entity(place.owner.entity)?.numbers
        .firstIndex(of: place.relationship.forward)
      for case (let target, .present) in links where lost.contains(target) {
        lostTargets.append(LostTarget(owner: place.owner, slot: slot, target: target))
      }
    }
    lostTargets.sort { ($0.owner, $0.target) < ($1.owner, $1.target) }
  }

  /// Nil if the object has not changed since the sender has read it.
  private func beneath(_ key: ObjectKey, _ newer: Overlay, _ saving: Overlay) -> Beneath? {
    if let change = newer.change(for: key) ?? saving.change(for: key) {
      return change.read.map(Beneath.there) ?? .gone
    }
    switch ground.states[key] {
    case .there(let read): return .there(read)
    case .deleted, .absent: return .gone
    case nil: return nil
    }
  }

  private mutating func check(
    _ change: Change, madeFrom origin: Record, of key: ObjectKey, _ entity: EntitySchema,
    against beneath: Beneath
  ) {
    switch beneath {
    case .there(let theirs):
      if theirs.record == origin {
        let isMadeFromTheirs =
          change.base?.record == theirs.record && change.base?.hasSameReadings(as: theirs) != false
        if !isMadeFromTheirs { raise(change, key, theirs, entity) }
        return
      }
      let isOutdated =
        change.slots.isEmpty
        ? !entity.hasEqualEdits(origin, theirs.record)
        : !entity.contestedSlots(origin, theirs.record).isDisjoint(with: change.slots)
      if isOutdated {
        resolve(change, madeFrom: origin, of: key, entity, theirs)
      } else {
        raise(change, key, theirs, entity)
      }
    case .gone where change.kind == .delete: break
    case .gone: resolve(change, madeFrom: origin, of: key, entity, nil)
    }
  }

  /// The change is made from their state, as by a merge before the save.
  private mutating func raise(
    _ change: Change, _ key: ObjectKey, _ theirs: Base, _ entity: EntitySchema
  ) {
    changes.updateValue(change.raised(onto: theirs, entity, into: &arena), forKey: key)
  }

  private mutating func resolve(
    _ change: Change, madeFrom origin: Record, of key: ObjectKey, _ entity: EntitySchema,
    _ theirs: Base?
  ) {
    let conflict = MergePolicy.Conflict(
      objectID: ObjectID(store: schema.store, key: key), base: origin,
      ours: change.merging(theirs?.record, entity, into: &arena), theirs: theirs?.record,
      changed: change.slots, external: change.external, schema: schema)
    switch policy.resolve(conflict, layout: entity.layout) {
    case .fail: conflicts.append(conflict)
    case .mistaken(let found): mistakes += found
    case .delete where change.kind == .delete:
      if let theirs { raise(change, key, theirs, entity) }
    case .delete: decide(key, theirs.map { .delete(base: $0) }, isThere: false)
    case .keepTheirs:
      let kept = theirs.flatMap {
        update(change, to: $0.record, ExternalValues(), over: $0, entity)
      }
      decide(key, kept, isThere: theirs != nil)
    case .write(let record, let external):
      let written = theirs.map { update(change, to: record, external, over: $0, entity) }
      let half = halfLinks(change, entity)
      let whole = half.isEmpty ? record : entity.layout.clearing(half, in: record, into: &arena)
      let revived = Change.insert(whole, slots: entity.layout.placedSlots, external: external)
      decide(key, written ?? revived, isThere: true)
    }
  }

  private mutating func decide(_ key: ObjectKey, _ change: Change?, isThere: Bool) {
    changes.updateValue(change, forKey: key)
    decided[key] = isThere
  }

  /// The one-to-one slots that the sender has not set: nothing is decided on half a link.
  private func halfLinks(_ change: Change, _ entity: EntitySchema) -> SlotSet {
    entity.ends.partnered.reduce(into: SlotSet()) { half, end in
      if !change.slots.contains(end.slot) { half.insert(end.slot) }
    }
  }

  /// The update of `theirs` that makes it `record`; nil if both are equal. Nothing is decided on
  /// half a one-to-one link: those that the sender has set stay as it has made them, and all others
  /// as the receiver has them.
  private mutating func update(
    _ change: Change, to record: Record, _ external: ExternalValues, over theirs: Base,
    _ entity: EntitySchema
  ) -> Change? {
    var record = record
    let unset = halfLinks(change, entity)
    let set = entity.ends.partnered.reduce(into: SlotSet()) { $0.insert($1.slot) }
      .subtracting(unset)
    if let ours = change.record, !set.isEmpty {
      record = entity.layout.splice(base: record, changes: ours, slots: set, into: &arena)
    }
    let slots = entity.layout.differingSlots(theirs.record, record)
      .subtracting(entity.derivedSlots).subtracting(unset)
    if slots.isEmpty { return nil }
    // Derived values stay as the receiver has them.
    record = entity.layout.splice(
      base: theirs.record, changes: record, slots: slots, into: &arena)
    return .update(
      record, base: theirs, slots: slots,
      external: external.fitting(record, entity.layout, in: slots))
  }
}
