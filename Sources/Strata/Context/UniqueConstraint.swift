// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// The unique index over some properties, and the order of the properties in it.
struct UniqueConstraint {
  let index: IndexSchema
  /// By part of the index, the position of its property among the given ones.
  private let positions: [Int]

  /// Finds the unique index over exactly these properties, which are in any order.
  ///
  /// - Throws: `ContextError.noUniquenessConstraint`.
  init(
    over properties: some Collection<AnyKeyPath>, of entity: EntitySchema
  ) throws(ContextError) {
    let slots = properties.compactMap { entity.description.slot(for: $0) }
    guard slots.count == properties.count, let index = entity.uniqueIndex(over: slots) else {
      let names = slots.map { entity.description.properties[$0].name }
      throw .noUniquenessConstraint(entity: entity.description.name, properties: names)
    }
    self.index = index
    positions = index.parts.compactMap { part in slots.firstIndex(of: part.slot) }
  }

  /// The values in the order of the index's parts.
  ///
  /// - Precondition: they are of the same properties as those that the constraint was found by.
  func ordered<T>(_ values: [UniqueValue<T>]) -> [PropertyValue] {
    require(
      values.count == positions.count,
      "upsert(_:from:matching:with:) takes values of the same properties for each row.")
    return positions.map { values[$0].value }
  }
}
