// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// Finds the objects that have the value of another one in a unique index, in one pass over its
/// entries.
///
/// Objects with equal values are neighbours, unless the index has cut their values at 255 bytes:
/// those that share these bytes are in the order of their keys, whatever the rest of their values
/// is. So each of them is compared with all before it.
///
/// In memory are the complete values of the objects that share the bytes of one cut value.
struct UniqueValueScan {
  private let number: PropertyNumber
  private let view: StoreView
  /// The value and the object of the last entry.
  private var value: [UInt8] = []
  private var last: ObjectKey?
  /// The first object with each complete value whose bytes in the index are `value`, if that may be
  /// cut.
  private var holders: [CompleteValue: ObjectKey] = [:]

  /// A value, part by part. Its hash includes all bytes: `Data` hashes only its beginning,
  /// which cut values have in common.
  private struct CompleteValue: Hashable {
    let parts: [PropertyValue]

    func hash(into hasher: inout Hasher) {
      for part in parts {
        switch part {
        case .data(let data), .codable(let data):
          data.withUnsafeBytes { hasher.combine(bytes: $0) }
        default: hasher.combine(part)
        }
      }
    }
  }

  /// - Parameter number: of the index.
  init(_ number: PropertyNumber, in view: StoreView) { (self.number, self.view) = (number, view) }

  /// The object of an earlier entry that has the same value as `key`; nil if there is none.
  ///
  /// - Parameter value: the value in the next entry, which is of `key`.
  /// - Throws: the errors of reading the records.
  mutating func holder(
    besides key: ObjectKey, at value: UnsafeRawBufferPointer
  ) throws -> ObjectKey? {
    let former = last
    last = key
    guard let former, self.value.withUnsafeBytes({ $0.isEqual(to: value) }) else {
      self.value.replaceSubrange(self.value.indices, with: value)
      holders = [:]
      return nil
    }
    if value.count < KeyEncoder.valueByteCountMax {
      return try hasEqualValue(key, former) ? former : nil
    }
    if holders.isEmpty, let complete = try completeValue(of: former) { holders[complete] = former }
    guard let complete = try completeValue(of: key) else { return nil }
    if let holder = holders[complete] { return holder }
    holders[complete] = key
    return nil
  }

  private func hasEqualValue(_ key: ObjectKey, _ other: ObjectKey) throws -> Bool {
    guard let (entity, index, record) = try object(key),
      let (otherEntity, _, otherRecord) = try object(other)
    else { return false }
    return index.hasEqualValue(record, entity, otherRecord, otherEntity)
  }

  /// The value of an object, part by part; nil if a part is nil, and the object is like no other.
  private func completeValue(of key: ObjectKey) throws -> CompleteValue? {
    guard let (entity, index, record) = try object(key),
      !index.isIncomplete(record, entity.layout)
    else { return nil }
    return CompleteValue(parts: index.values(of: record, entity.layout, store: entity.store))
  }

  private func object(
    _ key: ObjectKey
  ) throws -> (entity: EntitySchema, index: IndexSchema, record: Record)? {
    guard let entity = view.schema.entity(key.entity),
      let index = entity.indexes.first(where: { $0.number == number }),
      let record = try view.record(for: key)?.record
    else { return nil }
    return (entity, index, record)
  }
}
