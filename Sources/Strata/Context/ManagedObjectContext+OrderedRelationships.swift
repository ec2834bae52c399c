// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Places in ordered relationships: one link is written for each member that is put somewhere.

extension ManagedObjectContext {
  /// The members of an ordered relationship, kept for the edits that follow; nil if the object has
  /// none any more. O(members) the first time.
  func orderedMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> OrderedMembers? {
    guard object.isAlive, object.status != .deleted else { return nil }
    let place = LinkPlace(relationship.number, object.key)
    if let kept = keptMembers(of: object, relationship) { return kept }
    do {
      let members = OrderedMembers(try readMembers(of: object, relationship))
      orderedLists.add(members, at: place, isOfSlots: relationship.isOfSlots)
      return members
    } catch {
      if deferredError == nil { deferredError = error }
      return nil
    }
  }

  /// The members of an ordered relationship, if they are kept.
  func keptMembers(
    of object: ManagedObject, _ relationship: RelationshipSchema
  ) -> OrderedMembers? {
    if orderedLists.isEmpty { return nil }
    guard object.isAlive, object.status != .deleted else { return nil }
    // Taking a view lets go of the lists that others have changed.
    prepareToHandOut()
    if view == nil { return nil }
    return orderedLists.members(at: LinkPlace(relationship.number, object.key))
  }

  /// Puts objects before the member that is at `index` now, in their order; members move there.
  ///
  /// - Precondition: 0 ≤ `index` ≤ the number of members; the objects are of this context, and each
  ///   is there once.
  func insert(
    _ targets: [ManagedObject], into object: ManagedObject, _ relationship: RelationshipSchema,
    at index: Int
  ) {
    for target in targets { requireOwn(target) }
    prepareToRelate()
    guard let members = orderedMembers(of: object, relationship) else {
      // Of an object that is deleted: the links are dropped.
      if !object.isAlive || object.status == .deleted {
        for target in targets { link(object, to: target, relationship) }
      }
      return
    }
    precondition(index >= 0 && index <= members.count, "the index is beyond the list's end")
    let targets = targets.filter { $0.isAlive && $0.status != .deleted }
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
    if observed != nil { linksWillChange(relationship.number, of: object.key) }
    setPosition(
      relationship.isOfSlots ? .present(position: position) : .moved(position: position),
      at: LinkPlace(relationship.number, object.key), to: target)
    turn.updated.append(object.key)
    noteTouched()
  }

  /// Notes an edit of one link in one direction.
  func setPosition(_ state: LinkState, at place: LinkPlace, to target: ObjectKey) {
    edits.links.set(state, at: place, to: target)
    orderedLists.linkDidChange(at: place, to: target, state)
  }

  // MARK: - Lists that are kept

  /// The to-one slot of an object was set, and its inverse is ordered.
  func orderedTargetDidChange(
    of object: ManagedObject, to owner: ObjectKey?, _ relationship: PropertyNumber
  ) {
    // What an awake method sets is no edit.
    guard awaking.isEmpty else { return orderedLists.removeAll() }
    var isKnown = true
    orderedLists.targetDidChange(of: object.key, to: owner, relationship) { place in
      do { return try position(of: object.key, at: place) } catch {
        isKnown = false
        return PositionPlan.unnumbered
      }
    }
    if !isKnown { orderedLists.removeAll() }
  }

  /// The number that an object has beside a to-one link, `unnumbered` if it has none.
  private func position(of key: ObjectKey, at place: LinkPlace) throws -> UInt64 {
    let edited = edits.links.state(at: place, to: key)
    let state =
      if let edited, edited.isWhole { edited } else {
        try currentView().link(at: place, to: key)
      }
    switch edited?.said(after: state) ?? state {
    case .present(let position), .moved(let position): return position
    case .absent: return PositionPlan.unnumbered
    }
  }
}

extension RelationshipSchema {
  /// Whether the members' to-one slots are the truth, and links are mere positions.
  var isOfSlots: Bool {
    if case .inverseSlot = storage { true } else { false }
  }
}
