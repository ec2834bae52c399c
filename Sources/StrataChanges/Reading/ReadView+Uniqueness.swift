// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// The objects that have a unique value, through all layers and the store.

extension ReadView {
  /// The first object, besides `own`, that has a record's value in a unique index; nil if no object
  /// has it, or if a part of the value is nil. O(segments × log pending + log entries of the
  /// store).
  package func holder(
    ofValueOf record: Record, _ entity: EntitySchema, in index: IndexSchema, besides own: ObjectKey
  ) throws -> ObjectKey? {
    if index.isIncomplete(record, entity.layout) { return nil }
    var value: [UInt8] = []
    index.append(valueOf: record, entity.layout, to: &value)
    return try holder(of: value, in: index) { key, other in
      key != own
        && (other.map { index.hasEqualValue(record, entity, $0.record, $0.entity) } ?? true)
    }
  }

  /// The first object that has the value, given part by part in the order of the index; nil if no
  /// object has it, or if a part is nil. O(segments × log pending + log entries of the store).
  package func holder(of values: [PropertyValue], in index: IndexSchema) throws -> ObjectKey? {
    if values.contains(.null) { return nil }
    let (bytes, _) = index.bytes(of: values)
    return try holder(of: bytes, in: index) { _, other in
      guard let other else { return true }
      return index.values(of: other.record, other.entity.layout, store: schema.store) == values
    }
  }

  /// - Parameter isHolder: is handed an object with the value's bytes, and its record where the
  ///   bytes do not say all.
  private func holder(
    of value: [UInt8], in index: IndexSchema,
    _ isHolder: (ObjectKey, (record: Record, entity: EntitySchema)?) -> Bool
  ) throws -> ObjectKey? {
    let isCut = value.count >= KeyEncoder.valueByteCountMax
    func check(_ key: ObjectKey) throws -> Bool {
      guard isCut else { return isHolder(key, nil) }
      guard let stored = try record(of: key), let entity = schema.entity(key.entity),
        !index.isIncomplete(stored.record, entity.layout)
      else { return false }
      return isHolder(key, (stored.record, entity))
    }
    for key in layers.keys(withEntriesFrom: value, index: index.number) where try check(key) {
      return key
    }
    var holder: ObjectKey?
    try snapshot.scanIndex(index.number, in: KeyRange(prefix: value), isReversed: false) {
      entry, key in
      guard change(for: key) == nil,
        entry.count == value.count + KeyEncoder.objectKeyByteCount, try check(key)
      else { return .more }
      holder = key
      return .stop
    }
    return holder
  }
}
