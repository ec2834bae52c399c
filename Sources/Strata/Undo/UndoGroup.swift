// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The changes that one call of `undo()` reverts: for each changed object its record before and
/// after, for each link its state before and after.
///
/// A group holds differences, not the graph: of an update only the slots that it changed, so that
/// undoing it keeps values that were merged into the object since.
///
/// ## Invariants
/// - I1 A group has each object or link once, with its state before the group's first change of it
///   and after the last. It has no objects that were inserted and deleted. A value or a link that
///   was changed and changed back is a transition to nothing: undoing the group finds it, and
///   removes the unsaved change that is left of it.
///
/// ## Lifetime
/// The records share blocks with those that were encoded at the same time (`RecordArena`), and keep
/// these in memory.
///
/// ## Isolation
/// Its context's.
struct UndoGroup {
  struct ObjectTransition {
    /// Nil if the object was not there.
    var before: Record?
    /// Nil if the object is not there any more.
    var after: Record?
    /// Of an object that was and is there: the slots that changed.
    var slots: SlotSet
    /// The slots that were set and not saved before.
    var unsaved: SlotSet
    /// The bytes of the external slots that `before` had otherwise than `after`: a save takes them
    /// out of the store.
    var external = ExternalValues()

    /// Whether the object was and is there, with the same values.
    var isNothing: Bool { before != nil && after != nil && slots.isEmpty }
  }

  struct Link: Hashable {
    let place: LinkPlace
    let target: ObjectKey
  }

  struct LinkTransition: Equatable {
    var before: LinkState
    var after: LinkState

    var isNothing: Bool { before == after }
  }

  private(set) var objects: [ObjectKey: ObjectTransition] = [:]
  private(set) var links: [Link: LinkTransition] = [:]
  var actionName = ""

  /// Whether undoing it would change nothing.
  var isEmpty: Bool {
    objects.values.allSatisfy(\.isNothing) && links.values.allSatisfy(\.isNothing)
  }

  /// Whether nothing was changed, not even back and forth.
  var isUntouched: Bool { objects.isEmpty && links.isEmpty }

  // MARK: - Adding

  /// Adds `changes`, which were composed onto `older`.
  ///
  /// - Parameter view: returns the view in which `older` is the context's own; called only if there
  ///   are links or deletions.
  /// - Throws: the errors of the view; the group is then invalid.
  mutating func add(
    _ changes: Segment, over older: Overlay, schema: Schema, view: () throws -> ReadView
  ) throws {
    var arena = RecordArena()
    let hasDeletes = changes.changes.contains { $0.value.kind == .delete }
    let readView = view
    let view = hasDeletes || !changes.links.isEmpty ? try view() : nil
    for (key, change) in changes.changes {
      let under = older.change(for: key)
      let before = under == nil ? change.base?.record : under?.record
      var step = ObjectTransition(
        before: before, after: change.record, slots: SlotSet(), unsaved: under?.slots ?? SlotSet())
      if let layout = schema.entity(key.entity)?.layout, !layout.externalSlots.isEmpty,
        !PlantedFault.undoForgetsBytes.isPlanted(in: schema)
      {
        step.external = try Self.external(goneIn: step, of: key, layout, under) {
          try view ?? readView()
        }
      }
      add(step, of: key, schema, &arena)
      if change.record == nil, before != nil, let view {
        try addLinks(ofDeleted: key, before, in: view, schema)
      }
    }
    guard let view else { return }
    for (place, links) in changes.links.byPlace {
      for (target, state) in links {
        let before = try view.link(at: place, to: target)
        add(
          LinkTransition(before: before, after: state.applied(over: before)),
          of: Link(place: place, target: target))
      }
    }
  }

  /// Adds all of a later group.
  mutating func add(_ later: UndoGroup, schema: Schema) {
    var arena = RecordArena()
    for (key, step) in later.objects { add(step, of: key, schema, &arena) }
    for (link, step) in later.links { add(step, of: link) }
    if actionName.isEmpty { actionName = later.actionName }
  }

  /// The values of external slots of a step: pending ones, or read.
  private static func external(
    goneIn step: ObjectTransition, of key: ObjectKey, _ layout: RecordLayout, _ under: Change?,
    _ view: () throws -> ReadView
  ) throws -> ExternalValues {
    var gone = ExternalValues()
    guard let before = step.before else { return gone }
    for slot in layout.externalSlots {
      guard let stamp = before.stamp(at: slot, layout),
        step.after?.stamp(at: slot, layout) != stamp
      else { continue }
      if let pending = under?.external.value(at: slot, fitting: stamp) {
        gone[slot] = pending
      } else if let stored = try view().externalData(of: key, at: slot), stored.stamp == stamp {
        gone[slot] = stored
      }
    }
    return gone
  }

  private mutating func add(
    _ step: ObjectTransition, of key: ObjectKey, _ schema: Schema, _ arena: inout RecordArena
  ) {
    guard let entity = schema.entity(key.entity) else { return }
    let layout = entity.layout
    var step = step
    if let before = step.before, let after = step.after {
      // Derived values are not edits.
      step.slots = layout.differingSlots(before, after).subtracting(entity.derivedSlots)
    }
    if let earlier = objects[key] { step = Self.joined(earlier, step, layout, &arena) }
    objects[key] = step.before == nil && step.after == nil ? nil : step
  }

  /// Joins two transitions of the same object. Between them the object may have taken values from
  /// elsewhere; those are not undone.
  private static func joined(
    _ earlier: ObjectTransition, _ later: ObjectTransition, _ layout: RecordLayout,
    _ arena: inout RecordArena
  ) -> ObjectTransition {
    var joined = earlier
    joined.after = later.after
    guard let first = earlier.before else { return joined }
    if earlier.after != nil, let seen = later.before {
      joined.before = layout.splice(
        base: seen, changes: first, slots: earlier.slots, into: &arena)
    }
    joined.external = earlier.external.fitting(
      joined.before, layout, in: layout.externalSlots, orElse: later.external)
    if let before = joined.before, let after = joined.after {
      let differing = layout.differingSlots(before, after)
      joined.slots =
        earlier.after == nil
        ? differing : earlier.slots.union(later.slots).intersection(differing)
    }
    return joined
  }

  private mutating func add(_ step: LinkTransition, of link: Link) {
    links[link] = LinkTransition(before: links[link]?.before ?? step.before, after: step.after)
  }

  /// Adds the links that the store removes with a deleted object, without a change of their own:
  /// those that a delete rule leaves alone, and positions in ordered relationships.
  private mutating func addLinks(
    ofDeleted key: ObjectKey, _ before: Record?, in view: ReadView, _ schema: Schema
  ) throws {
    guard let entity = schema.entity(key.entity) else { return }
    func add(_ place: LinkPlace, _ target: ObjectKey) throws {
      let state = try view.link(at: place, to: target)
      self.add(
        LinkTransition(before: state, after: .absent), of: Link(place: place, target: target))
    }
    for target in entity.ends.targets {
      guard let positions = target.positions,
        let owner = before?.toOne(at: target.slot, layout: entity.layout)
      else { continue }
      try add(LinkPlace(positions, owner), key)
    }
    for links in entity.ends.links {
      let place = LinkPlace(links.number, key)
      for member in try view.linked(at: place) {
        try add(place, member)
        if let mirror = links.mirror { try add(LinkPlace(mirror, member), key) }
      }
    }
  }
}
