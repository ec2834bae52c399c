// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Members of an ordered relationship that are linked from their own side stand last, in the order of
// linking. Those without a number come last in the order of their keys: as long as each new one has a
// higher key than those before, which is so where objects are created and linked one after the other,
// nothing is written for it. One that would come before others is given a number, and they with it.

extension ManagedObjectContext {
  /// Has an object stand last in an ordered relationship of its new target.
  ///
  /// - Parameter slot: of the ordered relationship in `owner`, whose members' to-one slots are its truth.
  /// - Complexity: O(log members) for the first member of an owner since edits were last encoded, then
  ///   O(1); for one that needs a number O(members), once while the list is kept.
  func putLast(_ member: ManagedObject, in owner: ManagedObject, _ slot: Int) {
    guard awaking.isEmpty, let relationship = owner.home.entity.relationships[slot],
      case .inverseSlot(let index, _) = relationship.storage
    else { return }
    let place = LinkPlace(relationship.number, owner.key)
    // It was put into the list, and has its place.
    if case .present? = edits.links.state(at: place, to: member.key) { return }
    do {
      let last = try edits.lastLinked[place] ?? lastMember(of: owner, index)
      edits.lastLinked[place] = max(last ?? member.key, member.key)
      guard let last, last > member.key else { return }
      number(member, lastIn: owner, relationship)
    } catch {
      if deferredError == nil { deferredError = error }
    }
  }

  private func lastMember(of owner: ManagedObject, _ index: PropertyNumber) throws -> ObjectKey? {
    // Nobody has led to an object before it was first encoded but in the same turn.
    if owner.status == .inserted, working.change(for: owner.key) == nil { return nil }
    return try currentView().lastReferrer(to: owner.key, index: index)
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
}
