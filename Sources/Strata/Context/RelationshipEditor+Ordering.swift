// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

// Members of an ordered relationship that are linked from their own side are last, in the order of
// linking. Members without a number come last in the order of their keys: as long as each new one
// has a higher key than those before, as when objects are created and linked one after the other,
// nothing is written for it. A member that would come before others is given a number, together
// with them.

extension RelationshipEditor {
  /// Moves an object to the end of an ordered relationship of its new target.
  ///
  /// - Parameter slot: of the ordered relationship in `owner`, which is defined by its members'
  ///   to-one slots.
  /// - Complexity: O(log members) for the first member of an owner since edits were last encoded,
  ///   then O(1); for a member that needs a number O(members), once while the list is kept.
  func putLast(_ member: ManagedObject, in owner: ManagedObject, _ slot: Int) {
    guard work.awaking.isEmpty, let relationship = owner.binding.entity.relationships[slot],
      case .inverseSlot(let index, _) = relationship.storage
    else { return }
    let place = LinkPlace(relationship.number, owner.key)
    // It was put into the list, and has its place.
    if case .present? = work.edits.links.state(at: place, to: member.key) { return }
    reporter.attempt {
      let last = try work.edits.lastLinked[place] ?? lastMember(of: owner, index)
      work.edits.lastLinked[place] = max(last ?? member.key, member.key)
      if let last, last > member.key { number(member, lastIn: owner, relationship) }
    }
  }

  private func lastMember(of owner: ManagedObject, _ index: PropertyNumber) throws -> ObjectKey? {
    // Before an object is first encoded, links to it come only from the same turn.
    if owner.status == .inserted, work.working.change(for: owner.key) == nil { return nil }
    return try reader.currentView().lastReferrer(to: owner.key, index: index)
  }

  private func number(
    _ member: ManagedObject, lastIn owner: ManagedObject, _ relationship: RelationshipSchema
  ) {
    guard let members = orderedMembers(of: owner, relationship), members.unnumberedCount > 0,
      members[members.count - 1].key > member.key
    else { return }
    let former = members.position(of: member.key)
    members.remove(member.key)
    let plan = PositionPlan(inserting: [member.key], at: members.count, in: members)
    if let former { members.set(member.key, at: former) }
    for moved in plan.moved { move(moved.key, in: owner, relationship, to: moved.position) }
    move(member.key, in: owner, relationship, to: plan.positions[0])
  }

  /// The members of an ordered relationship, kept for the edits that follow; nil if the object has
  /// none any more. O(members) the first time.
  func orderedMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> OrderedMembers? {
    guard object.isPresent else { return nil }
    let place = LinkPlace(relationship.number, object.key)
    if let kept = keptMembers(of: object, relationship) { return kept }
    return reporter.attempt(orElse: nil) {
      let members = OrderedMembers(try readMembers(of: object, relationship))
      work.orderedLists.add(members, at: place, isOfSlots: relationship.isOfSlots)
      return members
    }
  }

  /// The members of an ordered relationship, if they are kept.
  func keptMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> OrderedMembers? {
    if work.orderedLists.isEmpty { return nil }
    guard object.isPresent else { return nil }
    // Taking a view releases the lists that others have changed.
    reader.prepareToHandOut()
    if work.view == nil { return nil }
    return work.orderedLists.members(at: LinkPlace(relationship.number, object.key))
  }

  /// Puts objects before the member that is at `index` now, in their order; members move there.
  ///
  /// - Precondition: 0 ≤ `index` ≤ the number of members; the objects are of this context, and each
  ///   is there once.
  func insert(
    _ targets: [ManagedObject], into object: ManagedObject, _ relationship: RelationshipSchema,
    at index: Int
  ) {
    for target in targets { registry.requireOwn(target) }
    reader.prepareToRelate()
    guard let members = orderedMembers(of: object, relationship) else {
      // Of an object that is deleted: the links are dropped.
      if !object.isPresent {
        for target in targets { link(object, to: target, relationship) }
      }
      return
    }
    require(
      index >= 0 && index <= members.count,
      "\(object.binding.entity.description.name).\(relationship.name) has \(members.count) members"
        + ": an index to insert at is from 0 to \(members.count), not \(index).")
    let targets = targets.filter(\.isPresent)
    guard !targets.isEmpty, !isRun(targets, at: index, in: members) else { return }
    let former = targets.map { members.position(of: $0.key) }
    // Without those that move, in which the places are counted.
    var place = index
    for target in targets {
      guard let current = members.index(of: target.key) else { continue }
      members.remove(target.key)
      if current < place { place -= 1 }
    }
    let plan = PositionPlan(inserting: targets.map(\.key), at: place, in: members)
    for (target, position) in zip(targets, former) {
      if let position { members.set(target.key, at: position) }
    }
    for member in plan.moved { move(member.key, in: object, relationship, to: member.position) }
    for (number, target) in targets.enumerated() {
      if former[number] != nil {
        move(target.key, in: object, relationship, to: plan.positions[number])
      } else {
        link(object, to: target, relationship, position: plan.positions[number])
      }
    }
    members.insertedLast = targets.last?.key
  }

  /// Whether these members are there already, in this order.
  private func isRun(
    _ targets: [ManagedObject], at index: Int, in members: OrderedMembers
  ) -> Bool {
    guard let first = members.index(of: targets[0].key),
      index >= first, index <= first + targets.count, first + targets.count <= members.count
    else { return false }
    return members.members(in: first..<(first + targets.count)).map(\.key) == targets.map(\.key)
  }

  /// Gives a member another number, and nothing else.
  func move(
    _ target: ObjectKey, in object: ManagedObject, _ relationship: RelationshipSchema,
    to position: UInt64
  ) {
    if registry.observed != nil { registry.linksWillChange(relationship.number, of: object.key) }
    setPosition(
      relationship.isOfSlots ? .present(position: position) : .moved(position: position),
      at: LinkPlace(relationship.number, object.key), to: target)
    reporter.turn.updated.append(object.key)
    reporter.noteTouched()
  }

  /// Notes an edit of one link in one direction.
  func setPosition(_ state: LinkState, at place: LinkPlace, to target: ObjectKey) {
    work.edits.links.set(state, at: place, to: target)
    work.orderedLists.linkDidChange(at: place, to: target, state)
  }

  // MARK: - Lists that are kept

  /// The to-one slot of an object was set, and its inverse is ordered.
  func orderedTargetDidChange(
    of object: ManagedObject, to owner: ObjectKey?, _ relationship: PropertyNumber
  ) {
    // Values that an awake method sets are not edits.
    guard work.awaking.isEmpty else { return work.orderedLists.removeAll() }
    var isKnown = true
    work.orderedLists.targetDidChange(of: object.key, to: owner, relationship) { place in
      do {
        return try linkState(at: place, to: object.key).position ?? ListPosition.unnumbered
      } catch {
        isKnown = false
        return ListPosition.unnumbered
      }
    }
    if !isKnown { work.orderedLists.removeAll() }
  }
}
