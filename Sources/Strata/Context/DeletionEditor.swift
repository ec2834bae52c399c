// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// Deletes objects of one context, and applies the delete rules of their relationships.
///
/// A deleted object keeps its values and to-one targets as they were before the deletion. So both
/// ends of a pair that goes together lead to each other, although a rule has cut one of them before
/// its object was reached.
///
/// ## Isolation
/// The context's.
final class DeletionEditor: ContextPart {
  let reader: ContextReader
  let loader: ObjectLoader
  let relationships: RelationshipEditor

  private struct Cut: Hashable {
    let member: ObjectKey
    let slot: Int
  }

  /// How many calls of `delete` are under way: life cycle methods may call it.
  private var depth = 0
  /// The targets of the to-one links that the deletion under way has cut or may cut.
  private var cutTargets: [Cut: ObjectKey] = [:]
  /// The objects that are being deleted, after their `prepareForDeletion`.
  private(set) var deleting: Set<ObjectKey> = []
  /// Where the to-one relationships led that deny the deletion of an object, by slot, when it was
  /// deleted. A to-many relationship is asked again when it is saved.
  var deniedTargets: [ObjectKey: [Int: ObjectKey]] = [:]

  init(_ relationships: RelationshipEditor) {
    reader = relationships.reader
    loader = relationships.loader
    self.relationships = relationships
  }

  /// Does all that `body` does as one deletion of `objects`, which `body` deletes: they keep the
  /// links that they have now.
  func asDeletion<R>(of objects: [ManagedObject], _ body: () throws -> R) rethrows -> R {
    depth += 1
    defer { finish() }
    for object in objects {
      for target in object.binding.entity.ends.targets {
        note(relationships.toOneKey(of: object, at: target.slot), of: object, at: target.slot)
      }
    }
    return try body()
  }

  private func note(_ target: ObjectKey?, of object: ManagedObject, at slot: Int) {
    if let target { cutTargets[Cut(member: object.key, slot: slot)] = target }
  }

  private func finish() {
    depth -= 1
    if depth == 0, !cutTargets.isEmpty { cutTargets = [:] }
  }

  /// Deletes an object, and the objects that its cascades reach.
  func delete(_ object: ManagedObject) {
    depth += 1
    defer { finish() }
    registry.requireOwn(object)
    reader.prepareToRelate()
    var pending = [object]
    while let next = pending.popLast() {
      if next.isFault { loader.fire(next) }
      prepareForDeletion(next)
      defer { if !deleting.isEmpty { deleting.remove(next.key) } }
      guard next.isPresent else { continue }
      do {
        pending += try applyDeleteRules(of: next)
        markDeleted(next)
      } catch {
        // The objects that its rules reach could not be read: the object stays, and the next save
        // throws the error.
        deleting = []
        reporter.note(error)
      }
    }
    registry.turnLeavingIntoFaults()
  }

  private func markDeleted(_ object: ManagedObject) {
    let wasNew = object.status == .inserted
    let base = registry.cache.base(of: object)
    if !registry.cache.isCurrent(object) { work.edits.outdated.append(object.key) }
    if registry.observed != nil { registry.objectWillGo(object) }
    if wasNew { object.draft = nil } else { keepValues(of: object) }
    if !work.orderedLists.isEmpty { work.orderedLists.didDelete(object.key) }
    reporter.turn.deleted.append(object.key)
    reporter.noteTouched()
    if wasNew {
      if work.working.change(for: object.key) != nil {
        work.edits.deletions[object.key] = .some(nil)
      } else {
        work.edits.vanished.insert(object.key)
      }
      work.detach(object)
    } else {
      object.status = .deleted
      work.edits.deletions[object.key] = base
    }
  }

  /// Puts the values that an object shows into its record, with the links that this deletion has
  /// cut. The record keeps its external values, because the state beneath has them.
  private func keepValues(of object: ManagedObject) {
    let draft = object.draft.take()
    guard let record = object.record, draft != nil || !cutTargets.isEmpty else { return }
    let layout = object.binding.layout
    var shown = record
    if let draft {
      let edited = draft.encode(into: &work.edits.arena)
      shown = layout.splice(
        base: record, changes: edited, slots: draft.changed.subtracting(layout.externalSlots),
        into: &work.edits.arena)
    }
    let cut = object.binding.entity.ends.targets.compactMap { end in
      shown.toOne(at: end.slot, layout: layout) == nil
        ? cutTargets[Cut(member: object.key, slot: end.slot)].map { (end.slot, $0) } : nil
    }
    if !cut.isEmpty {
      shown = layout.edited(shown, into: &work.edits.arena) { draft in
        for (slot, target) in cut { draft.setToOne(target, at: slot) }
      }
    }
    if draft != nil || !cut.isEmpty { registry.cache.setRecord(shown, of: object) }
  }

  /// - Returns: the objects that a cascade deletes next.
  private func applyDeleteRules(of object: ManagedObject) throws -> [ManagedObject] {
    var cascade: [ManagedObject] = []
    if !deniedTargets.isEmpty { deniedTargets[object.key] = nil }
    // First, because to unlink a member that is out of date hides where else it leads.
    for case let relationship? in object.binding.entity.relationships
    where relationship.deleteRule == .cascade {
      // Called while their links to this object still exist.
      let members = try relationships.targetKeys(of: object, relationship)
        .compactMap(loader.instance)
      for member in members { try prove(member, leadsTo: object, by: relationship.stepBack) }
      for member in members { prepareForDeletion(member) }
      cascade += members
    }
    let ends = object.binding.entity.ends
    for target in ends.targets { noteDeletion(of: object, at: target) }
    // All of them before the first is cut: a stale member that is cut in one place shows the old
    // target in others.
    var cuts: [(member: ManagedObject, slot: Int)] = []
    for referrer in ends.referrers where referrer.rule != .deny {
      cuts += try members(leadingTo: object, referrer).map { ($0, referrer.slot) }
    }
    for links in ends.links where links.rule == .cascade || links.rule == .nullify {
      guard let mirror = links.mirror else { continue }
      let place = LinkPlace(links.number, object.key)
      let view = try reader.currentViewIncludingEdits()
      for member in try view.linked(at: place) + work.hiddenTargets(of: place, in: view) {
        relationships.setLink(.absent, links.number, mirror: mirror, from: object.key, to: member)
      }
    }
    for (member, slot) in cuts {
      note(relationships.toOneKey(of: member, at: slot), of: member, at: slot)
      relationships.cutToOne(of: member, at: slot)
    }
    return cascade
  }

  private func noteDeletion(of object: ManagedObject, at target: RelationshipEnds.Target) {
    guard target.rule != .noAction, let key = relationships.toOneKey(of: object, at: target.slot)
    else { return }
    if target.rule == .deny {
      deniedTargets[object.key, default: [:]][target.slot] = key
    } else if target.partner == nil, let inverse = target.inverse {
      reporter.turn.noteEnd(key, inverse.slot)
    }
  }

  /// Compares an index's or a link's statement about a member with the member's own side, before a
  /// delete rule changes it.
  ///
  /// - Throws: `StoreError.damaged` if the two sides disagree.
  private func prove(
    _ member: ManagedObject, leadsTo object: ManagedObject, by step: RelationshipStep
  ) throws {
    let isProved =
      switch step {
      case .referrers: true
      case .linked(let number):
        try reader.currentViewIncludingEdits()
          .link(at: LinkPlace(number, member.key), to: object.key) != .absent
      case .target(let slot):
        // The member may be out of date here.
        try member.binding.layout.isToOne(slot)
          && (relationships.toOneKey(of: member, at: slot) == object.key
            || reader.currentViewIncludingEdits().target(of: member.key, at: slot) == object.key)
      }
    if !isProved { throw StoreError.damagedLink(of: object.key, to: member.key) }
  }

  /// The objects whose to-one slot leads to a deleted object.
  private func members(
    leadingTo object: ManagedObject, _ referrer: RelationshipEnds.Referrer
  ) throws -> [ManagedObject] {
    if referrer.isPartner, let slot = referrer.relationship {
      let partners = [
        relationships.toOneKey(of: object, at: slot),
        relationships.unseenPartner(of: object, at: slot),
      ]
      return try partners.compactMap { key in
        guard let partner = key.flatMap(loader.instance), partner.status != .deleted,
          try relationships.linkedKey(of: partner, at: referrer.slot) == object.key
        else { return nil }
        return partner
      }
    }
    let members = try reader.currentViewIncludingEdits()
      .referrers(to: object.key, index: referrer.index, slot: referrer.slot)
      .compactMap(loader.instance).filter { $0.status != .deleted }
    for member in members { try prove(member, leadsTo: object, by: .target(slot: referrer.slot)) }
    return members
  }

  // MARK: - Deny

  /// Looks for deleted objects that a `.deny` rule protects because others are still linked to
  /// them.
  func checkDeniedDeletes() throws {
    var denied: [ContextError.DeniedDelete] = []
    deniedTargets = deniedTargets.filter { work.working.kind(of: $0.key) == .delete }
    guard work.working.segments.contains(where: \.changes.hasDeletes) else { return }
    let view = try reader.currentViewIncludingEdits()
    let changes = work.working.changes
    for span in changes.spans {
      guard let entity = schema.entity(span.entity), entity.ends.have(.deny) else { continue }
      for place in span.range
      where changes.values[place].kind == .delete && changes.values[place].base != nil {
        let key = changes.keys[place]
        for case let relationship? in entity.relationships
        where try relationship.deleteRule == .deny
          && denies(relationship, deletionOf: key, in: view)
        {
          denied.append(
            ContextError.DeniedDelete(
              objectID: ObjectID(store: schema.store, key: key),
              entity: entity.description.name, property: relationship.name))
        }
      }
    }
    guard denied.isEmpty else { throw ContextError.deleteDenied(denied) }
  }

  /// Whether an object is there that a deleted one is linked to by a relationship with the rule
  /// `.deny`. The end that is there may have been unlinked since the deletion.
  private func denies(
    _ relationship: RelationshipSchema, deletionOf key: ObjectKey, in view: ReadView
  ) throws -> Bool {
    if relationship.isToMany {
      return try view.members(of: relationship, owner: key).contains { try view.exists($0.key) }
    }
    guard let target = deniedTargets[key]?[relationship.slot], try view.exists(target) else {
      return false
    }
    guard let inverse = relationship.inverse, inverse.kind == .toOne else { return true }
    return try view.target(of: target, at: inverse.slot) == key
  }

  // MARK: - Deleting

  /// Calls `prepareForDeletion`, once for a deletion.
  func prepareForDeletion(_ object: ManagedObject) {
    guard object.binding.hooks.contains(.prepareForDeletion), object.isPresent,
      deleting.insert(object.key).inserted
    else { return }
    object.prepareForDeletion()
  }
}
