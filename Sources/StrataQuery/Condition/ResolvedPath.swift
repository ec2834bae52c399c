// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A property path resolved in one store's schema: to-one slots to follow, and the slot to read at
/// the end.
///
/// A class, because operands and conditions share the path, which is constant.
///
/// ## Isolation
/// Sendable: constant.
package final class ResolvedPath: Sendable {
  /// The number of enclosing conditions on collections between the current one and the origin of
  /// the path; 0 if the path begins at the current object.
  package let depth: Int
  /// The to-one slots to follow, each in the entity of the target before.
  package let hops: [Int]
  /// The slot in the entity at the end.
  package let slot: Int
  package let kind: SlotKind
  /// The path inside of the composite in the slot, if the path ends at a member of one. `kind` is
  /// then the kind of that member.
  package let composite: CompositePath?
  /// The names on the path: "country.name".
  package let name: String
  /// The name of the entity at the end.
  package let entityName: String
  /// The value of a slot that was never set: `.null`, unless the attribute is not optional.
  package let absentValue: PropertyValue

  init(
    depth: Int, hops: [Int], slot: Int, kind: SlotKind, composite: CompositePath?, name: String,
    entityName: String, absentValue: PropertyValue
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

  /// Whether the path ends at a slot of the object at which it begins.
  var isDirect: Bool { depth == 0 && hops.isEmpty && composite == nil }

  /// The path that begins at the last object of this path.
  var atItsEnd: ResolvedPath {
    ResolvedPath(
      depth: 0, hops: [], slot: slot, kind: kind, composite: composite, name: name,
      entityName: entityName, absentValue: absentValue)
  }
}

extension ResolvedPath {
  /// The error that an operator does not apply to the property.
  var isUnfit: QueryError { .unfitProperty(entity: entityName, property: name) }

  /// Returns `constant` as a value of the property's type.
  ///
  /// - Throws: `QueryError.mismatchedType` if the constant does not fit.
  func fit<V: AttributeValue>(_ constant: PropertyValue) throws(QueryError) -> V {
    guard kind.holds(constant), let value = V(value: constant) else {
      throw .mismatchedType(entity: entityName, property: name, type: V.attributeType)
    }
    return value
  }
}
