// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataRecord

/// An ordered to-many relationship of one object: a lazy view, not a copy. Each member is there once,
/// at a place that inserts, moves and saves keep.
///
/// A member's place is a number beside its link. Inserting between two members takes a number
/// between theirs and writes one link; the list is not rewritten. A member that was linked from its
/// own side comes last.
public struct OrderedToMany<Target: ManagedObject> {
  private let base: ToMany<Target>

  init(owner: ManagedObject, slot: Int) { base = ToMany(owner: owner, slot: slot) }

  /// How many members there are. O(members), no object is loaded.
  public var count: Int { base.count }

  public var isEmpty: Bool { base.isEmpty }

  /// The members' IDs in order. O(members), no object is loaded.
  public var objectIDs: [ObjectID] { base.objectIDs }

  /// Whether `object` is a member.
  ///
  /// - Precondition: the object is of the same context.
  public func contains(_ object: Target) -> Bool { base.contains(object) }

  /// The member at `index`. O(members).
  ///
  /// - Precondition: 0 ≤ `index` < `count`.
  public subscript(index: Int) -> Target { Array(base)[index] }

  /// Puts `object` at the end; a member moves there.
  public func append(_ object: Target) { insert(object, at: count) }

  /// Puts `object` before the member that is at `index` now, or at the end; a member moves there.
  /// O(members), one link is written.
  ///
  /// - Precondition: 0 ≤ `index` ≤ `count`, and the object is of the same context.
  public func insert(_ object: Target, at index: Int) {
    guard let relationship = base.relationship, let context = base.owner.home.context else {
      return
    }
    var members = base.members
    precondition(index >= 0 && index <= members.count, "the index is beyond the list's end")
    var place = index
    if let current = members.firstIndex(where: { $0.key == object.key }) {
      members.remove(at: current)
      if current < index { place -= 1 }
    }
    let spaced = Self.withGap(at: place, in: members)
    for (old, new) in zip(members, spaced.members) where old != new {
      guard let member = context.instance(of: new.key) else { continue }
      context.link(base.owner, to: member, relationship, position: new.position)
    }
    context.link(base.owner, to: object, relationship, position: spaced.position)
  }

  /// Makes `object` no member any more. It is not deleted.
  public func remove(_ object: Target) { base.remove(object) }

  /// Makes all members none.
  public func removeAll() { base.removeAll() }

  /// Makes exactly these objects the members, in this order; one that occurs twice is taken once.
  public func replace(with objects: some Sequence<Target>) {
    base.removeAll()
    for object in objects { append(object) }
  }

  /// The distance between the places of neighbours when a list is numbered afresh.
  private static var spacing: UInt64 { 1 << 32 }

  /// A position for a new member at `index`, and the members with room for it: unchanged as a rule,
  /// numbered afresh if there is no number left between the neighbours.
  private static func withGap(
    at index: Int, in members: [ReadView.Member]
  ) -> (position: UInt64, members: [ReadView.Member]) {
    let below = index > 0 ? members[index - 1].position : 0
    let above = index < members.count ? members[index].position : nil
    if let above, above != .max, above > below + 1 {
      return (below + (above - below) / 2, members)
    }
    if above == nil, below < .max - spacing { return (below + spacing, members) }
    let numbered = members.enumerated().map { offset, member in
      let rank = UInt64(offset < index ? offset + 1 : offset + 2)
      return ReadView.Member(key: member.key, position: rank * spacing)
    }
    return (UInt64(index + 1) * spacing, numbered)
  }
}

extension OrderedToMany: Sequence {
  /// The members as they are now, in order, as faults where they are not loaded.
  public func makeIterator() -> AnyIterator<Target> { base.makeIterator() }

  public var underestimatedCount: Int { 0 }
}

extension ManagedObject {
  /// The ordered to-many relationship at `slot`. Assigning makes the members of the other view the
  /// members of this one, in their order.
  public final subscript<T: ManagedObject>(
    slot slot: Int, as _: OrderedToMany<T>.Type = OrderedToMany<T>.self
  ) -> OrderedToMany<T> {
    get {
      home.recorder?.note(slot)
      return OrderedToMany(owner: self, slot: slot)
    }
    set { OrderedToMany<T>(owner: self, slot: slot).replace(with: Array(newValue)) }
  }
}
