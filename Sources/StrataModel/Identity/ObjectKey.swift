// SPDX-License-Identifier: Apache-2.0

/// The number of an entity in one store, fixed in the store's catalog when the entity first appears
/// there. Numbers start at 1 and say nothing about inheritance.
@frozen
@usableFromInline
package struct EntityNumber: RawRepresentable, Sendable, Hashable, Comparable {
  @usableFromInline package let rawValue: UInt16

  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  @inlinable package static func == (left: EntityNumber, right: EntityNumber) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable package static func < (left: EntityNumber, right: EntityNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Identifies an object within its store: the entity's number and a serial, in 8 bytes.
///
/// Keys of one entity sort by serial, and serials grow with time, so records of new objects are
/// appended to their tree. `ObjectID` adds the store; all layers below the contexts deal with one
/// store at a time and use the key alone.
///
/// ```
///  63        48 47                                0
///  ┌───────────┬───────────────────────────────────┐
///  │  entity   │              serial               │
///  └───────────┴───────────────────────────────────┘
/// ```
// `@usableFromInline` with explicit operators: tables and sorts in other modules then inline them.
// A derived operator, or an operator of a type that is not, is a call through a table.
@frozen
@usableFromInline
package struct ObjectKey: RawRepresentable, Sendable, Hashable, Comparable {
  @usableFromInline package let rawValue: UInt64

  /// The largest serial: 2⁴⁸ - 1.
  package static let serialMax: UInt64 = (1 << 48) - 1

  /// How many bits of a serial count the objects of one store; those above them number its range.
  package static let serialBitCount = 40

  /// How many ranges of serials stores can have. The serials above them are of objects that cannot
  /// be saved, because their store is read-only or has no serials left.
  package static let serialRangeCount = 128

  /// The lowest serial above all ranges.
  package static let unsavedSerialMin = UInt64(serialRangeCount) << UInt64(serialBitCount)

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Parameter serial: 1 … `serialMax`; 0 is not an object.
  @inlinable package init(entity: EntityNumber, serial: UInt64) {
    rawValue = UInt64(entity.rawValue) << 48 | (serial & ((1 << 48) - 1))
  }

  @inlinable package var entity: EntityNumber {
    EntityNumber(rawValue: UInt16(truncatingIfNeeded: rawValue >> 48))
  }

  @inlinable package var serial: UInt64 { rawValue & ((1 << 48) - 1) }

  /// The range of the serial. A store has serials of one range, and the stores of a group have
  /// different ranges: it tells the store of an object.
  package var serialRange: Int { Int(serial >> Self.serialBitCount) }

  @inlinable package static func == (left: ObjectKey, right: ObjectKey) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.rawValue < right.rawValue
  }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// The hash for tables of the standard library. Its default withstands keys that an adversary
  /// chooses, at several times the cost; serials are counters, and two multiplications spread them
  /// over all bits. The seed is each table's own, so that moving one table's keys into another does
  /// not cluster them.
  @inlinable package func _rawHashValue(seed: Int) -> Int {
    var bits = rawValue ^ UInt64(bitPattern: Int64(seed))
    bits = (bits ^ bits >> 32) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 29) &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: bits ^ bits >> 32)
  }
}
