// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// An index: the objects of an entity, and of all that inherit from it, by the values of one slot
/// or of several.
///
/// Attributes marked `.indexed` or `.unique` have one, every to-one relationship has one, because
/// the to-many side, or the deletion of the target, looks links up from there, and so has each set
/// of properties that are unique together, and each list of several that the entity declares an
/// index over.
///
/// The index of a `.fullText` attribute has other entries: one for each different word of an
/// object's text, and one for the number of its words (`TextWords`). Whatever makes entries of
/// records goes through `IndexRunBuilder`, which knows both. Whatever reads values from entries
/// uses `EntitySchema.valueIndexes`.
package struct IndexSchema: Sendable, Hashable {
  /// One part of the value.
  package struct Part: Sendable, Hashable {
    package let slot: Int
    package let kind: SlotKind

    package init(slot: Int, kind: SlotKind) {
      self.slot = slot
      self.kind = kind
    }
  }

  /// The number of the index: the property's number; a number of its own if there are several
  /// properties.
  package let number: PropertyNumber
  package let first: Part
  /// The parts after the first; empty for an index over one slot.
  package let others: [Part]
  package let isUnique: Bool
  /// Whether the entries are the words of the only slot's text.
  package let isOfWords: Bool
  /// The slots of all parts.
  package let slots: SlotSet

  package var slot: Int { first.slot }
  package var kind: SlotKind { first.kind }
  package var isCompound: Bool { !others.isEmpty }
  /// All parts: an array made for the purpose.
  package var parts: [Part] { [first] + others }
  package var partCount: Int { 1 + others.count }

  /// The slot of the part at `index`, from 0.
  package func slot(ofPart index: Int) -> Int { index == 0 ? first.slot : others[index - 1].slot }

  package init(
    number: PropertyNumber, _ first: Part, _ others: [Part] = [], isUnique: Bool,
    isOfWords: Bool = false
  ) {
    self.number = number
    self.first = first
    self.others = others
    self.isUnique = isUnique
    self.isOfWords = isOfWords
    slots = others.reduce(into: [first.slot]) { $0.insert($1.slot) }
  }
}

// MARK: - Values

extension IndexSchema {
  /// Appends the value of a record: all its parts, truncated at 255 bytes.
  /// - Returns: whether it was truncated: other values share these bytes.
  @discardableResult
  package func append(
    valueOf record: Record, _ layout: RecordLayout, to bytes: inout [UInt8]
  ) -> Bool {
    defer { withExtendedLifetime(record) {} }
    guard isCompound else {
      return KeyEncoder.append(slot: record.slot(slot, layout), to: &bytes)
    }
    let start = bytes.count
    var isCut = KeyEncoder.append(
      slot: record.slot(slot, layout), to: &bytes, valueStart: start)
    for part in others {
      isCut =
        KeyEncoder.append(slot: record.slot(part.slot, layout), to: &bytes, valueStart: start)
        || isCut
    }
    return isCut
  }

  /// Writes the value of the record that begins at `record` to `target`, as `append(valueOf:_:to:)`
  /// does, without an array between.
  ///
  /// - Parameter target: has room for `KeyEncoder.scratchByteCount`; bytes behind the value may be
  ///   overwritten.
  /// - Returns: the number of bytes of the value.
  package func write(
    valueOf record: UnsafeRawPointer, _ layout: RecordLayout, to target: UnsafeMutableRawPointer
  ) -> Int {
    var byteCount = KeyEncoder.write(slot: layout.slot(slot, at: record), to: target, after: 0)
    for part in others {
      byteCount += KeyEncoder.write(
        slot: layout.slot(part.slot, at: record), to: target, after: byteCount)
    }
    return byteCount
  }

  /// The bytes of a value that is given part by part, and whether it was cut.
  package func bytes(of values: [PropertyValue]) -> (bytes: [UInt8], isCut: Bool) {
    var bytes: [UInt8] = []
    var isCut = false
    for (part, value) in zip(parts, values) {
      isCut = KeyEncoder.append(value: value, kind: part.kind, to: &bytes, valueStart: 0) || isCut
    }
    return (bytes, isCut)
  }

  /// Whether one of `slots` is a part.
  package func covers(anyOf slots: SlotSet) -> Bool { !self.slots.isDisjoint(with: slots) }

  /// Whether objects with these records, perhaps of two entities of a hierarchy, are the same to a
  /// unique index: their keys have the same bytes and, where these were cut, the values are equal
  /// too.
  package func hasEqualValue(
    _ left: Record, _ leftEntity: EntitySchema, _ right: Record, _ rightEntity: EntitySchema
  ) -> Bool {
    if isIncomplete(left, leftEntity.layout) || isIncomplete(right, rightEntity.layout) {
      return false
    }
    var (leftKey, rightKey): ([UInt8], [UInt8]) = ([], [])
    let isCut = append(valueOf: left, leftEntity.layout, to: &leftKey)
    append(valueOf: right, rightEntity.layout, to: &rightKey)
    guard leftKey == rightKey else { return false }
    let store = leftEntity.store
    return !isCut
      || values(of: left, leftEntity.layout, store: store)
        == values(of: right, rightEntity.layout, store: store)
  }

  /// Whether a part has no value: then the object is like no other.
  package func isIncomplete(_ record: Record, _ layout: RecordLayout) -> Bool {
    defer { withExtendedLifetime(record) {} }
    return record.slot(slot, layout).rawBytes == nil
      || others.contains { record.slot($0.slot, layout).rawBytes == nil }
  }

  /// The values of a record, part by part.
  package func values(
    of record: Record, _ layout: RecordLayout, store: StoreIdentity
  ) -> [PropertyValue] {
    parts.map { record.value(at: $0.slot, layout: layout, store: store) }
  }

  /// The names of the properties.
  package func names(in entity: EntityDescription) -> [String] {
    parts.map { entity.properties[$0.slot].name }
  }
}
