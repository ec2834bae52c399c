// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The rows of an import by the values that make their objects unique.
///
/// ## Invariants
/// - I1 Rows with equal values are of one group; a row without a value is of none.
struct UpsertBatch {
  private struct Row {
    let values: [PropertyValue]
    let bytes: [UInt8]
    var group: Int?
  }

  private let index: IndexSchema
  private var rows: [Row] = []
  /// The object of each group; nil until it is found or inserted.
  private var objects: [ObjectKey?] = []

  init(_ index: IndexSchema) { self.index = index }

  /// Adds a row.
  /// - Parameter values: in the order of the index's parts.
  mutating func append(_ values: [PropertyValue]) {
    rows.append(Row(values: values, bytes: index.bytes(of: values).bytes, group: nil))
  }

  /// Groups the rows and looks for the groups' objects, in the order of the index.
  mutating func find(in view: ReadView) throws {
    let order = rows.indices.sorted { left, right in
      rows[left].bytes == rows[right].bytes
        ? left < right : rows[left].bytes.lexicographicallyPrecedes(rows[right].bytes)
    }
    // Where the bytes of a value were cut, several groups have the same.
    var groups: [(values: [PropertyValue], number: Int)] = []
    var bytes: [UInt8]?
    for position in order where !rows[position].values.contains(.null) {
      let row = rows[position]
      if row.bytes != bytes { groups = [] }
      bytes = row.bytes
      let isCut = row.bytes.count >= KeyEncoder.valueByteCountMax
      if let group = groups.first(where: { !isCut || $0.values == row.values }) {
        rows[position].group = group.number
      } else {
        groups.append((row.values, objects.count))
        rows[position].group = objects.count
        objects.append(try view.holder(of: row.values, in: index))
      }
    }
  }

  /// The object of a row, if it is known.
  func object(at position: Int) -> ObjectKey? {
    rows[position].group.flatMap { objects[$0] }
  }

  /// Notes the object that was inserted for a row.
  mutating func setObject(_ key: ObjectKey, at position: Int) {
    if let group = rows[position].group { objects[group] = key }
  }
}
