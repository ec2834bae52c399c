// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
package import StrataQuery
import StrataRecord

/// A to-many relationship of one object: a lazy view, not a copy.
///
/// It holds no members. `count`, `contains` and `objectIDs` look at links without loading objects;
/// iterating returns objects as faults, one at a time; inserting and removing never load the
/// others. `Set(country.cities)` makes a set. The view shows the state of its object's context, its
/// unsaved changes included.
///
/// The members have no order here; `OrderedToMany` has one.
public struct ToMany<Target: ManagedObject> {
  let owner: ManagedObject
  let relationship: RelationshipSchema?

  init(owner: ManagedObject, slot: Int) {
    self.owner = owner
    relationship = owner.binding.entity.relationships[slot]
  }

  /// How many members there are. No object is loaded.
  ///
  /// - Complexity: O(members); if the relationship's inverse is to-one, O(blocks of up to 129
  ///   members + unsaved changes).
  public var count: Int { memberCount() }

  /// Whether there are no members. No object is loaded.
  ///
  /// - Complexity: O(unsaved changes).
  public var isEmpty: Bool { memberCount(upTo: 1) == 0 }

  /// The members' IDs. No object is loaded. Core Data: `objectIDs(forRelationshipNamed:)`.
  ///
  /// - Complexity: O(members).
  public var objectIDs: [ObjectID] {
    let store = owner.binding.entity.store
    return members.map { ObjectID(store: store, key: $0.key) }
  }

  /// Whether `object` is a member. No other member is looked at.
  ///
  /// - Precondition: the object is of the same context.
  public func contains(_ object: Target) -> Bool {
    guard let relationship else { return false }
    owner.noteAccess(relationship.slot)
    return context?.relationships.isMember(object, of: owner, relationship) ?? false
  }

  /// Makes `object` a member, and this object a member or the target of its inverse. Inserting a
  /// member is not a change.
  ///
  /// - Precondition: the object is of the same context.
  public func insert(_ object: Target) {
    guard let relationship, let context = contextForSetting else { return }
    guard !context.relationships.isMember(object, of: owner, relationship) else { return }
    context.relationships.link(owner, to: object, relationship)
  }

  /// Makes `object` no member any more. It is not deleted.
  ///
  /// - Precondition: the object is of the same context.
  public func remove(_ object: Target) {
    guard let relationship else { return }
    contextForSetting?.relationships.unlink(owner, from: object, relationship)
  }

  /// Makes all members none.
  public func removeAll() {
    for member in Array(self) { remove(member) }
  }

  /// Makes exactly these objects the members; those that are already stay untouched.
  ///
  /// - Precondition: the objects are of the same context.
  public func replace(with objects: some Sequence<Target>) {
    let wanted = Set(objects)
    for member in Array(self) where !wanted.contains(member) { remove(member) }
    for object in wanted { insert(object) }
  }

  var members: [ReadView.Member] {
    guard let relationship else { return [] }
    owner.noteAccess(relationship.slot)
    return context?.relationships.members(of: owner, relationship) ?? []
  }

  private func memberCount(upTo limit: Int = .max) -> Int {
    guard let relationship else { return 0 }
    owner.noteAccess(relationship.slot)
    return context?.relationships.memberCount(of: owner, relationship, upTo: limit) ?? 0
  }

  /// The context, to read the relationship.
  var context: ManagedObjectContext? {
    guard let relationship else { return nil }
    return owner.context(for: .relationship(slot: relationship.slot))
  }

  /// The context, to change the relationship.
  var contextForSetting: ManagedObjectContext? {
    guard let relationship else { return nil }
    return owner.context(for: .setting(slot: relationship.slot))
  }
}

extension ToMany: Sequence {
  /// The members as they are now, as faults where they are not loaded.
  public func makeIterator() -> AnyIterator<Target> {
    let context = context
    var members = members.makeIterator()
    return AnyIterator {
      while let member = members.next() {
        if let object = context?.loader.instance(of: member.key) as? Target { return object }
      }
      return nil
    }
  }

  /// Only `count` counts the members.
  public var underestimatedCount: Int { 0 }
}

extension ManagedObject {
  /// The to-many relationship at `slot`. Assigning makes the members of the other view the members
  /// of this one.
  public final subscript<T: ManagedObject>(
    slot slot: Int, as _: ToMany<T>.Type = ToMany<T>.self
  ) -> ToMany<T> {
    get {
      binding.recorder?.read(relationship: slot)
      return ToMany(owner: self, slot: slot)
    }
    set { ToMany<T>(owner: self, slot: slot).replace(with: newValue) }
  }

  /// The to-one relationship at `slot`. Setting it sets the inverse; a large to-many inverse is not
  /// loaded.
  ///
  /// - Precondition: the target is of the same context as this object.
  @inlinable
  public final subscript<T: ManagedObject>(slot slot: Int, as _: T?.Type = T?.self) -> T? {
    get { target(at: slot)?.cast(to: T.self) }
    set { setTarget(newValue, at: slot) }
  }

  /// The object that a to-one relationship leads to.
  @usableFromInline
  final func target(at slot: Int) -> ManagedObject? {
    if binding.observed != nil { noteAccess(slot) }
    if draft == nil, let record {
      guard let word = binding.layout.slot(slot, at: record.start).integer(.toOne, as: UInt64.self)
      else { return nil }
      let key = ObjectKey(rawValue: word)
      if let target = binding.find({ $0.loader.objectAtHand(for: key) }) { return shown(target) }
    }
    guard let context = context(for: .relationship(slot: slot)) else {
      return binding.recorder?.follow(slot, of: binding.entity.description)
    }
    guard let key = context.relationships.toOneKey(of: self, at: slot) else { return nil }
    return context.loader.instance(of: key).flatMap(shown)
  }

  /// The target of a to-one relationship, unless its deletion is pending: then the relationship
  /// leads nowhere. An object that is itself deleted keeps its values, to the last.
  @inline(__always)
  private func shown(_ target: ManagedObject) -> ManagedObject? {
    if target.record != nil, target.status != .deleted { return target }
    let isLost =
      binding.find { $0.relationships.isDeletionPending(of: target) ? true : nil } ?? false
    return isLost && status != .deleted ? nil : target
  }

  @usableFromInline
  final func setTarget(_ target: ManagedObject?, at slot: Int) {
    context(for: .setting(slot: slot))?.relationships.setToOne(target, of: self, at: slot)
  }
}

// MARK: - In predicates

extension ToMany: MemberCollection {
  package static func property(at keyPath: AnyKeyPath) -> MemberProperty? {
    switch keyPath {
    case \ToMany<Target>.count: .count
    case \ToMany<Target>.isEmpty: .isEmpty
    default: nil
    }
  }
}
