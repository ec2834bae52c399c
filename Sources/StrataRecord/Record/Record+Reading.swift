// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// MARK: - Slots

extension Record {
  /// The value of a class slot, as bytes.
  /// - Important: it points into the record and is valid as long as the record is kept.
  @inlinable @inline(__always)
  package func slot(_ index: Int, _ layout: RecordLayout) -> _RecordSlot {
    layout.slot(index, at: start)
  }

  /// Whether the slot has a value.
  @inlinable @inline(__always)
  package func isPresent(_ slot: Int, _ layout: RecordLayout) -> Bool {
    defer { withExtendedLifetime(block) {} }
    return layout.place(of: slot).isPresent(in: start)
  }

  /// The value of the slot; nil if it has none, or one of another type.
  @inlinable @inline(__always)
  package func value<T: AttributeValue>(at slot: Int, _ layout: RecordLayout) -> T? {
    defer { withExtendedLifetime(block) {} }
    return T(layout.slot(slot, at: start))
  }

  /// The stamp of an external attribute's bytes; nil if it has no value.
  package func stamp(at slot: Int, _ layout: RecordLayout) -> DataStamp? {
    defer { withExtendedLifetime(block) {} }
    return layout.slot(slot, at: start).stamp
  }

  /// The value of the slot without its static type; `.null` if it has none, or if it is external.
  /// - Parameter store: the store of the record; to-one targets are of the same.
  package func value(at slot: Int, layout: RecordLayout, store: StoreIdentity) -> PropertyValue {
    defer { withExtendedLifetime(block) {} }
    return layout.slot(slot, at: start).value(store: store)
  }

  /// The target of a to-one relationship; nil if it has no target, or the slot is not a to-one
  /// relationship.
  package func toOne(at slot: Int, layout: RecordLayout) -> ObjectKey? {
    defer { withExtendedLifetime(block) {} }
    return layout.slot(slot, at: start).toOne
  }
}
