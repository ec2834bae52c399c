// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives

/// The content of a slot.
package enum SlotKind: Sendable, Hashable {
  case attribute(AttributeType)
  /// The key of an object of the same store.
  case toOne
  /// Nothing: a to-many relationship is an index over the inverse's slots, or links. It has a slot
  /// for its accessors' sake and no place in the record.
  case toMany
}

/// One slot of an entity as a model version declares it. Layouts of records are made from these.
package struct SlotDescription: Sendable, Hashable {
  package let number: PropertyNumber
  package let kind: SlotKind
  /// Whether the value is carried from context to context and never stored.
  package let isTransient: Bool
  /// Whether the bytes of the data are stored beside the record, which has their stamp.
  package let isExternal: Bool

  /// - Precondition: an external slot is of data.
  package init(
    number: PropertyNumber, kind: SlotKind, isTransient: Bool = false, isExternal: Bool = false
  ) {
    require(!isExternal || kind == .attribute(.data), "only data can be external")
    self.number = number
    self.kind = kind
    self.isTransient = isTransient
    self.isExternal = isExternal
  }
}

extension SlotKind {
  /// Whether a slot of this kind can be set to `value`; `.null` always fits a slot with a place.
  package func holds(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (.toMany, _): false
    case (_, .null): true
    case (.toOne, .object): true
    case (.toOne, _): false
    case (.attribute(let type), _): SlotCode(type).holds(value)
    }
  }
}
