// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The changes that revert a group, computed from the present state: everything but the deletion of
/// the group's new objects as one batch of changes.
///
/// | the group has | and now the object | then |
/// | --- | --- | --- |
/// | inserted | exists | it is deleted |
/// | updated | exists | the slots that the group changed get their former values |
/// | deleted | does not exist | it is inserted, with its ID and all values |
/// | added or removed a link | and the other end exist | the link gets its former state |
///
/// All other cases are left unchanged: they were reverted already, or changed by others.
///
/// ## Isolation
/// The context's.
struct UndoReversal {
  private(set) var changes: [ObjectKey: Change] = [:]
  private(set) var links = LinkChanges()
  /// Objects that come back.
  private(set) var restored: [ObjectKey] = []
  /// Objects that go.
  private(set) var inserted: [ObjectKey] = []
  /// Objects whose unsaved deletion is reverted, and which have been deleted beneath it.
  private(set) var lost: [ObjectKey] = []
  private var arena = RecordArena()

  /// - Parameter reverter: tells the present state of objects in its context.
  init(of group: UndoGroup, in view: ReadView, by reverter: UndoReverter) throws {
    let schema = view.schema
    for (key, step) in group.objects.sorted(by: { $0.key < $1.key }) where !step.isNothing {
      guard let entity = schema.entity(key.entity) else { continue }
      let layout = entity.layout
      switch (step.before, step.after) {
      case (nil, _):
        if try reverter.isThere(key) { inserted.append(key) }
      case (let before?, nil):
        if try reverter.isThere(key) { continue }
        let deleted = reverter.unsavedDeletion(of: key)
        let change = restoring(before, step, of: entity, deleted: deleted)
        if deleted != nil, change.slots.isEmpty, try view.inheritedBase(of: key) == nil {
          lost.append(key)
          continue
        }
        changes[key] = change
        restored.append(key)
      case (let before?, .some):
        guard let now = try reverter.current(key) else { continue }
        let record = layout.splice(
          base: now.record, changes: before,
          slots: step.slots.subtracting(lostSlots(of: before, step, in: layout)), into: &arena)
        let slots = layout.differingSlots(now.record, record)
        if !slots.isEmpty {
          changes[key] = .update(record, base: now, slots: slots, external: step.external)
        }
      }
    }
    try dropLostTargets(in: view)
    if PlantedFault.undoForgetsLinks.isPlanted(in: schema) { return }
    for (link, step) in group.links where !step.isNothing {
      guard try view.link(at: link.place, to: link.target) != step.before else { continue }
      guard try exists(link.place.owner, in: view), try exists(link.target, in: view) else {
        continue
      }
      links.set(step.reversal, at: link.place, to: link.target)
    }
  }

  // MARK: - External values

  /// The external slots of `before` whose bytes are lost: another context had replaced the value
  /// before the group did.
  private func lostSlots(
    of before: Record, _ step: UndoGroup.ObjectTransition, in layout: RecordLayout
  ) -> SlotSet {
    var lost = SlotSet()
    for slot in layout.externalSlots {
      guard let stamp = before.stamp(at: slot, layout),
        step.external.value(at: slot, fitting: stamp) == nil
      else { continue }
      lost.insert(slot)
    }
    return lost
  }

  /// The change that brings an object back. Beneath an unsaved deletion its external values still
  /// exist: they show through, except for unsaved ones and those that a merge has replaced since.
  /// If nothing exists beneath, lost ones are gone.
  private mutating func restoring(
    _ before: Record, _ step: UndoGroup.ObjectTransition, of entity: EntitySchema,
    deleted: Base?
  ) -> Change {
    let layout = entity.layout
    let lost = lostSlots(of: before, step, in: layout)
    if let deleted {
      var beneath = lost
      for slot in layout.externalSlots.subtracting(step.unsaved)
      where before.stamp(at: slot, layout) == deleted.record.stamp(at: slot, layout) {
        beneath.insert(slot)
      }
      // A slot that was not set before the deletion has the value beneath. Derived values are not
      // edits.
      let set = step.unsaved.subtracting(beneath).subtracting(entity.derivedSlots)
      let whole = layout.splice(
        base: deleted.record, changes: before, slots: set, into: &arena)
      return .insert(whole, slots: set, external: step.external)
    }
    if lost.isEmpty { return .insert(before, slots: layout.placedSlots, external: step.external) }
    let record = layout.clearing(lost, in: before, into: &arena)
    return .insert(record, slots: layout.placedSlots, external: step.external)
  }

  // MARK: - Links

  private func exists(_ key: ObjectKey, in view: ReadView) throws -> Bool {
    try changes[key] != nil || view.exists(key)
  }

  /// Leaves out to-one links to objects that are gone and do not come back: they are nil in an
  /// object that comes back, and stay as they are in one that was only updated.
  private mutating func dropLostTargets(in view: ReadView) throws {
    for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
      guard let record = change.record, let entity = view.schema.entity(key.entity) else {
        continue
      }
      let layout = entity.layout
      var lost = SlotSet()
      for end in entity.ends.targets where change.slots.contains(end.slot) {
        guard let target = record.toOne(at: end.slot, layout: layout),
          try !exists(target, in: view)
        else { continue }
        lost.insert(end.slot)
      }
      if lost.isEmpty { continue }
      if change.kind == .update, let base = change.base {
        let slots = change.slots.subtracting(lost)
        let kept = layout.splice(base: base.record, changes: record, slots: slots, into: &arena)
        changes[key] =
          slots.isEmpty
          ? nil : .update(kept, base: base, slots: slots, external: change.external)
      } else {
        changes[key]?.record = layout.clearing(lost, in: record, into: &arena)
      }
    }
  }
}

extension UndoGroup.LinkTransition {
  /// The change that restores the link. A link that existed before and after has only been moved,
  /// and is not restored if another context has removed it since.
  fileprivate var reversal: LinkState {
    if case .present(let position) = before, after != .absent { return .moved(position: position) }
    return before
  }
}
