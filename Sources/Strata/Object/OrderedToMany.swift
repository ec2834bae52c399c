// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataPrimitives
package import StrataQuery
import StrataRecord

/// An ordered to-many relationship of one object: a lazy view, not a copy. It has each member once,
/// at a position that inserts, moves and saves keep.
///
/// A member's position is a number beside its link. Inserting between two members takes a number
/// between theirs and writes one link; the list is not rewritten, nor are members loaded. If a
/// position is so crowded that there is no number left, a few neighbours are renumbered: O(log
/// members) links for each insertion, amortised, in every order of insertions. A member that was
/// linked from its own side comes last.
///
/// It is a collection: `list[3]`, `list.first`, `list.firstIndex(of:)`, slices, `reversed()`. The
/// first call that needs an index reads the list, O(members); from then on the context keeps it
/// while it is edited here, and an edit costs about as much in a list of a hundred thousand as in
/// one of a hundred. It is read again when others have changed it, and after a save. Indices are
/// those of the moment: an edit moves the members behind it.
///
/// ## Several editors
/// Saves of several contexts merge as edits of positions, not of the whole list: a member stays
/// between the neighbours that it was inserted between, wherever others insert, move or remove. If
/// two contexts insert at the same position, their members are in one order everywhere, each one's
/// in its own. If two move the same member, the later save decides; if one removes it, it is
/// removed. The one exception: if one renumbers a crowded position while the other inserts just
/// there, the other's member is placed among these few, but perhaps not between the two.
public struct OrderedToMany<Target: ManagedObject> {
  private let base: ToMany<Target>

  init(owner: ManagedObject, slot: Int) { base = ToMany(owner: owner, slot: slot) }

  /// How many members there are. No object is loaded.
  ///
  /// - Complexity: O(members); O(1) while the list is edited.
  public var count: Int { kept?.count ?? base.count }

  public var isEmpty: Bool { count == 0 }

  /// The members' IDs in order. No object is loaded.
  ///
  /// - Complexity: O(members).
  public var objectIDs: [ObjectID] { base.objectIDs }

  /// Whether `object` is a member. No other member is looked at.
  ///
  /// - Precondition: the object is of the same context.
  public func contains(_ object: Target) -> Bool { base.contains(object) }

  /// The index of a member, nil if it is none.
  ///
  /// - Precondition: the object is of the same context.
  public func firstIndex(of object: Target) -> Int? {
    base.context?.registry.requireOwn(object)
    return readMembers()?.index(of: object.key)
  }

  // MARK: - Editing

  /// Puts `object` at the end; a member moves there.
  ///
  /// - Precondition: the object is of the same context.
  public func append(_ object: Target) { append(contentsOf: CollectionOfOne(object)) }

  /// Puts objects at the end, in their order; members move there. Of one that occurs twice, the
  /// first is taken.
  ///
  /// - Precondition: the objects are of the same context.
  public func append(contentsOf objects: some Sequence<Target>) {
    insert(Array(objects), at: members()?.count ?? 0)
  }

  /// Puts `object` before the member that is at `index` now, or at the end; a member moves there.
  ///
  /// - Precondition: 0 ≤ `index` ≤ `count`, and the object is of the same context.
  public func insert(_ object: Target, at index: Int) { insert([object], at: index) }

  /// Puts objects before the member that is at `index` now, or at the end, in their order; members
  /// move there. Of one that occurs twice, the first is taken.
  ///
  /// - Precondition: 0 ≤ `index` ≤ `count`, and the objects are of the same context.
  public func insert(contentsOf objects: some Sequence<Target>, at index: Int) {
    insert(Array(objects), at: index)
  }

  /// Moves the member at `source` so that it is at `destination` afterwards.
  ///
  /// - Precondition: both are indices of members.
  public func move(from source: Int, to destination: Int) {
    insert(self[source], at: destination > source ? destination + 1 : destination)
  }

  /// Moves members to before the one that is at `destination` now, or to the end, in their order,
  /// as a list view requests it. SwiftUI: `move(fromOffsets:toOffset:)`.
  ///
  /// - Parameters:
  ///   - sources: ascending indices of members, an `IndexSet`, for example.
  ///   - destination: the destination as counted before the move.
  /// - Precondition: the sources are indices, and 0 ≤ `destination` ≤ `count`.
  public func move(fromOffsets sources: some Sequence<Int>, toOffset destination: Int) {
    insert(sources.map { self[$0] }, at: destination)
  }

  /// Removes the member at `index` from the list. It is not deleted.
  ///
  /// - Returns: the removed member.
  /// - Precondition: 0 ≤ `index` < `count`.
  @discardableResult
  public func remove(at index: Int) -> Target {
    let object = self[index]
    base.remove(object)
    return object
  }

  /// Makes `object` no member any more. It is not deleted.
  ///
  /// - Precondition: the object is of the same context.
  public func remove(_ object: Target) { base.remove(object) }

  /// Makes all members none.
  public func removeAll() { base.removeAll() }

  /// Makes exactly these objects the members, in this order; of one that occurs twice the first is
  /// taken. No more members are moved than must be.
  ///
  /// - Complexity: O(members); O(differences) links are written.
  /// - Precondition: the objects are of the same context.
  public func replace(with objects: some Sequence<Target>) {
    let wanted = Self.once(Array(objects))
    let keys = Set(wanted.map(\.key))
    for object in Array(self) where !keys.contains(object.key) { base.remove(object) }
    guard let members = members() else { return }
    var rank: [ObjectKey: Int] = [:]
    for (index, member) in members.all.enumerated() { rank[member.key] = index }
    let former = wanted.indices.filter { rank[wanted[$0].key] != nil }
    let ranks = former.compactMap { rank[wanted[$0].key] }
    let staying = Set(LongestAscent.indexes(of: ranks).map { former[$0] })
    // From the end, so that each run is put before one that stays.
    var next = members.count
    var run: [Target] = []
    for index in wanted.indices.reversed() {
      if !staying.contains(index) {
        run.append(wanted[index])
        continue
      }
      if !run.isEmpty { insert(run.reversed(), at: next) }
      run = []
      next = members.index(of: wanted[index].key) ?? 0
    }
    if !run.isEmpty { insert(run.reversed(), at: 0) }
  }

  private func insert(_ objects: [Target], at index: Int) {
    guard let relationship = base.relationship else { return }
    base.contextForSetting?.relationships.insert(
      objects.count == 1 ? objects : Self.once(objects), into: base.owner, relationship, at: index)
  }

  private static func once(_ objects: [Target]) -> [Target] {
    var seen: Set<ObjectKey> = []
    return objects.filter { seen.insert($0.key).inserted }
  }

  // MARK: - The list

  /// The list if the context keeps it.
  private var kept: OrderedMembers? {
    guard let relationship = base.relationship else { return nil }
    base.owner.noteAccess(relationship.slot)
    return base.context?.relationships.keptMembers(of: base.owner, relationship)
  }

  /// The list, to be edited.
  private func members() -> OrderedMembers? {
    guard let relationship = base.relationship else { return nil }
    return base.context?.relationships.orderedMembers(of: base.owner, relationship)
  }

  @inline(never)
  private func stopBeyondEnd(_ index: Int) -> Never {
    let entity = base.owner.binding.entity.description.name
    stopProgram(
      "\(entity).\(base.relationship?.name ?? "") has \(count) members, and none at index \(index)"
        + ": compare with count.")
  }

  private func readMembers() -> OrderedMembers? {
    if let relationship = base.relationship { base.owner.noteAccess(relationship.slot) }
    return members()
  }
}

extension OrderedToMany: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The member at `index`, a fault where it is not loaded. No other member is looked at.
  ///
  /// - Precondition: 0 ≤ `index` < `count`.
  public subscript(index: Int) -> Target {
    guard let members = readMembers(), index >= 0, index < members.count,
      let object = base.context?.loader.instance(of: members[index].key) as? Target
    else { stopBeyondEnd(index) }
    return object
  }

  /// The present members, in order, as faults if they are not loaded. The list may be edited during
  /// the iteration.
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
      binding.recorder?.read(relationship: slot)
      return OrderedToMany(owner: self, slot: slot)
    }
    set { OrderedToMany<T>(owner: self, slot: slot).replace(with: Array(newValue)) }
  }
}

// MARK: - In predicates

extension OrderedToMany: MemberCollection {
  package static func property(at keyPath: AnyKeyPath) -> MemberProperty? {
    switch keyPath {
    case \OrderedToMany<Target>.count: .count
    case \OrderedToMany<Target>.isEmpty: .isEmpty
    default: nil
    }
  }
}
