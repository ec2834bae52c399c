// SPDX-License-Identifier: Apache-2.0

/// An index: the objects of an entity, and of all that inherit from it, by the value of one slot.
///
/// Attributes marked `.indexed` or `.unique` have one, and every to-one relationship has one,
/// because the to-many side, or the deletion of the target, looks links up from there.
package struct IndexSchema: Sendable, Hashable {
  /// The number of the property, which is that of the index too.
  package let number: PropertyNumber
  package let slot: Int
  package let kind: SlotKind
  package let isUnique: Bool
}
