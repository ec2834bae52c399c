// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Where a property path leads in one store's schema: from the object over to-one slots to the slot
/// that is asked for.
///
/// A class, because operands and conditions hand it on, and it is constant.
package final class ResolvedPath: Sendable {
  /// How many conditions on collections further out the path begins: 0 for the object in hand.
  package let depth: Int
  /// The to-one slots to follow, each in the entity that the one before leads to.
  package let hops: [Int]
  /// The slot in the entity at the end.
  package let slot: Int
  package let kind: SlotKind
  /// If the slot has a composite: where in it the path goes on. Then `kind` is the kind of the member
  /// there.
  package let composite: CompositePath?
  /// The names along the way: "country.name".
  package let name: String
  /// The entity at the end, by name.
  package let entityName: String
  /// What the slot reads as where it was never set: `.null`, unless the attribute is not optional.
  package let absentValue: Value

  init(
    depth: Int, hops: [Int], slot: Int, kind: SlotKind, composite: CompositePath?, name: String,
    entityName: String, absentValue: Value
  ) {
    self.depth = depth
    self.hops = hops
    self.slot = slot
    self.kind = kind
    self.composite = composite
    self.name = name
    self.entityName = entityName
    self.absentValue = absentValue
  }

  /// Whether it leads to a slot of the very object that it begins at.
  var isDirect: Bool { depth == 0 && hops.isEmpty && composite == nil }

  /// The path from the last object on the way.
  var atItsEnd: ResolvedPath {
    ResolvedPath(
      depth: 0, hops: [], slot: slot, kind: kind, composite: composite, name: name,
      entityName: entityName, absentValue: absentValue)
  }
}

extension ResolvedPath {
  /// The operator does not apply to the property.
  var isUnfit: QueryError { .unfitProperty(entity: entityName, property: name) }

  /// `constant` as a value of the property's type.
  func fit<V: AttributeValue>(_ constant: Value) throws(QueryError) -> V {
    guard kind.holds(constant), let value = V(value: constant) else {
      throw .mismatchedType(entity: entityName, property: name, type: V.attributeType)
    }
    return value
  }
}
