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
}
