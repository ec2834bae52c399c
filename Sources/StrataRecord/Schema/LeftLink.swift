// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A to-one slot of others that still leads to an object when that is deleted, because the delete rule
/// of the relationship is `.deny` or `.noAction`.
package struct LeftLink: Sendable {
  /// The index over the slot.
  package let index: PropertyNumber
  package let slot: Int

  private init?(_ relationship: RelationshipSchema) {
    guard relationship.deleteRule == .deny || relationship.deleteRule == .noAction else {
      return nil
    }
    switch relationship.storage {
    case .inverseSlot(let index, let slot): (self.index, self.slot) = (index, slot)
    case .slot:
      guard let inverse = relationship.inverse, inverse.kind == .toOne else { return nil }
      (index, slot) = (inverse.number, inverse.slot)
    case .links: return nil
    }
  }

  /// By the entity of the object that is deleted; without entities that have none.
  static func all(_ entities: [EntitySchema?]) -> [EntityNumber: [LeftLink]] {
    var all: [EntityNumber: [LeftLink]] = [:]
    for case let entity? in entities {
      let links = entity.relationships.compactMap { $0.flatMap(LeftLink.init) }
      if !links.isEmpty { all[entity.number] = links }
    }
    return all
  }
}
