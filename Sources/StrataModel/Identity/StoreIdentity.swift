// SPDX-License-Identifier: Apache-2.0
package import Foundation
import StrataPrimitives

/// A store's UUID, interned: four bytes that represent it in every `ObjectID` of this process.
///
/// The number is assigned at the first use of the UUID, never reused, and means nothing in another
/// process; URIs and encoded IDs carry the UUID itself.
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
  }

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

  @inlinable package static func == (left: StoreIdentity, right: StoreIdentity) -> Bool {
    left.number == right.number
  }

  /// The store's UUID.
  package var uuid: UUID { Self.table.withLock { [number] in $0.stores[Int(number)].uuid } }

  /// Records the names of the store's entities, for descriptions of object IDs.
  ///
  /// - Parameter entityNames: by entity number.
  package func register(_ entityNames: [String?]) {
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
