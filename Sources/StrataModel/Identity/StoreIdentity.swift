// SPDX-License-Identifier: Apache-2.0
package import Foundation
import StrataPrimitives

/// A store's UUID, interned: four bytes that represent it in every `ObjectID` of this process.
///
/// The number is assigned at the first use of the UUID, never reused, and means nothing in another
/// process; URIs and encoded IDs carry the UUID itself.
///
/// Several stores that are used as one have an identity together: the identity of their group. An
/// `ObjectID` always has the identity of the one store that has the object.
@frozen
@usableFromInline
package struct StoreIdentity: Sendable, Hashable {
  @usableFromInline package let number: UInt32

  private struct Known {
    let uuid: UUID
    /// By entity number; empty unless the store was opened.
    var entityNames: [String?] = []
  }

  private struct Table {
    var numbers = OrderedTable<UUID, UInt32>()
    /// By the store's number.
    var stores: [Known] = []
    /// By the group's number, less `firstGroup`. Each is in here once.
    var groups: [[Int: StoreIdentity]] = []
  }

  /// The numbers of groups begin here.
  private static let firstGroup: UInt32 = 1 << 31

  private static let table = CountedMutex(Table())

  /// The identity of the store with this UUID; the same one whenever the UUID is the same.
  package init(_ uuid: UUID) {
    number = Self.table.withLock { table in
      if let known = table.numbers[uuid] { return known }
      let next = UInt32(table.stores.count)
      table.numbers.set(next, for: uuid)
      table.stores.append(Known(uuid: uuid))
      return next
    }
  }

  private init(number: UInt32) { self.number = number }

  /// The identity of several stores together; the same one whenever they are the same.
  ///
  /// - Parameter members: the stores by the range of their serials; one at least.
  package init(groupOf members: [Int: StoreIdentity]) {
    number = Self.table.withLock { table in
      let place = table.groups.firstIndex(of: members) ?? table.groups.count
      if place == table.groups.count { table.groups.append(members) }
      return Self.firstGroup + UInt32(place)
    }
  }

  /// Whether this is the identity of several stores together.
  package var isGroup: Bool { number >= Self.firstGroup }

  /// The store of a group that has the object with `key`. An object that no store can have, because
  /// its store is read-only, counts to the store with the lowest range.
  package func member(with key: ObjectKey) -> StoreIdentity {
    guard isGroup else { return self }
    return Self.table.withLock { [number] in
      let members = $0.groups[Int(number - Self.firstGroup)]
      return members[key.serialRange] ?? members.min { $0.key < $1.key }?.value ?? self
    }
  }

  /// Whether the ID is of an object of this store, or of this group.
  package func has(_ id: ObjectID) -> Bool {
    id.store == self || isGroup && id.store == member(with: id.key)
  }

  /// The identity of the stores that have these objects: of one store, or of a group.
  ///
  /// - Returns: nil if the stores cannot be of one group. Nil also without IDs.
  package init?(having ids: some Sequence<ObjectID>) {
    var members: [Int: StoreIdentity] = [:]
    var last: StoreIdentity?
    for id in ids where id.store != last || members[id.key.serialRange] == nil {
      last = id.store
      let known = members.updateValue(id.store, forKey: id.key.serialRange)
      if let known, known != id.store { return nil }
    }
    guard let last else { return nil }
    self = members.values.allSatisfy { $0 == last } ? last : StoreIdentity(groupOf: members)
  }

  @inlinable package static func == (left: StoreIdentity, right: StoreIdentity) -> Bool {
    left.number == right.number
  }

  /// The store's UUID.
  ///
  /// - Precondition: it is not a group.
  package var uuid: UUID { Self.table.withLock { [number] in $0.stores[Int(number)].uuid } }

  /// Records the names of the store's entities, for descriptions of object IDs.
  ///
  /// - Parameter entityNames: by entity number. Those of a group are the names of its stores.
  package func register(_ entityNames: [String?]) {
    if isGroup { return }
    Self.table.withLock { [number] in $0.stores[Int(number)].entityNames = entityNames }
  }

  /// The name of an entity of the store; nil if the store was not opened in this process.
  package func name(of entity: EntityNumber) -> String? {
    Self.table.withLock { [number] in
      let names = $0.stores[Int(number)].entityNames
      return Int(entity.rawValue) < names.count ? names[Int(entity.rawValue)] : nil
    }
  }
}
