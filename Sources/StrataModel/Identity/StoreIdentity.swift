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

  private struct Table {
    var numbers: [UUID: UInt32] = [:]
    var identifiers: [UUID] = []
    /// The names of the entities of each store that was opened, by store, then by entity number.
    var entityNames: [UInt32: [EntityNumber: String]] = [:]
  }

  private static let table = CountedMutex(Table())

  /// The identity of the store with this UUID; the same one whenever the UUID is the same.
  package init(_ uuid: UUID) {
    number = Self.table.withLock { table in
      if let known = table.numbers[uuid] { return known }
      let next = UInt32(table.identifiers.count)
      table.numbers[uuid] = next
      table.identifiers.append(uuid)
      return next
    }
  }

  @inlinable package static func == (left: StoreIdentity, right: StoreIdentity) -> Bool {
    left.number == right.number
  }

  /// The store's UUID.
  package var uuid: UUID { Self.table.withLock { [number] in $0.identifiers[Int(number)] } }

  /// Records the names of the store's entities, for descriptions of object IDs.
  package func register(_ entityNames: [EntityNumber: String]) {
    Self.table.withLock { [number] in $0.entityNames[number] = entityNames }
  }

  /// The name of an entity of the store; nil if the store was not opened in this process.
  package func name(of entity: EntityNumber) -> String? {
    Self.table.withLock { [number] in $0.entityNames[number]?[entity] }
  }
}
