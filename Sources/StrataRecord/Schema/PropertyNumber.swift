// SPDX-License-Identifier: Apache-2.0

/// The number of a declared property, fixed in the store's catalog when the property first appears
/// there, and one for the whole store: 1 … 32,767.
///
/// It is the field tag of the property's slot in a record, the number of an index over it, and the
/// number of a relationship's links. Names and the order of declaration may change from one model
/// version to the next; the number stays, so no record is rewritten for that.
@frozen
@usableFromInline
package struct PropertyNumber: RawRepresentable, Sendable, Hashable, Comparable {
  @usableFromInline package let rawValue: UInt16

  /// The largest number of a declared property.
  package static let rawValueMax: UInt16 = 0x7FFF

  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The other direction of a to-many relationship that has no inverse: its links are mirrored
  /// under this number.
  @inlinable package var reversed: PropertyNumber { PropertyNumber(rawValue: rawValue | 0x8000) }

  /// The number of the property itself, whichever of its two directions this is.
  package var forward: PropertyNumber { PropertyNumber(rawValue: rawValue & Self.rawValueMax) }

  @inlinable package static func == (left: PropertyNumber, right: PropertyNumber) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable package static func < (left: PropertyNumber, right: PropertyNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}
