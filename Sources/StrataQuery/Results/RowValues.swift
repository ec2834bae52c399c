// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The columns of one row, while it is shown: read one after the other, each as the type that the
/// program wants.
///
/// A column that is a property of the object itself is decoded from the record in place.
///
/// ## Isolation
/// One fetch's; not Sendable. It has a row only during the call that it is handed to.
package final class RowValues {
  private let columns: [ResolvedColumn]
  private let reader: RowReader
  private var row: Row
  private var next = 0

  init(_ columns: [ResolvedColumn], of row: Row, _ reader: RowReader) {
    self.columns = columns
    self.row = row
    self.reader = reader
  }

  /// Goes on to another row of the same fetch.
  func begin(_ row: Row) {
    self.row = row
    next = 0
  }

  /// The value of the next column.
  ///
  /// - Throws: `QueryError.noValue` if it has none, and the type has no nil; what the store throws.
  /// - Precondition: there is another column.
  package func take<V: ColumnValue>(_: V.Type = V.self) throws -> V {
    let place = next
    next += 1
    if let slot = columns[place].slot {
      let slot = row.layout.slot(slot, at: row.start)
      if slot.isPresent, let value = V(slot) { return value }
    }
    return try calculate(columns[place])
  }

  /// The value of a column that is in no slot of the object itself.
  private func calculate<V: ColumnValue>(_ column: ResolvedColumn) throws -> V {
    if let value = V(value: try column.operand.value(of: row, reader)) { return value }
    // What the type does not know, as an enum's raw value or a sum that is too large, reads as what
    // was never set.
    if let value = V(value: column.absentValue ?? .null) { return value }
    throw QueryError.noValue(column: column.name)
  }

  /// The values of all columns.
  package func all() throws -> [Value] {
    try columns.map { try $0.operand.value(of: row, reader) }
  }
}

/// A column as it is read of each row.
struct ResolvedColumn: Sendable {
  let name: String
  let operand: any Operand
  /// The slot of the object itself that it is, if it is one.
  let slot: Int?
  /// What a property reads as that was never set; nil for what is no property of the object itself.
  let absentValue: Value?

  init(_ operand: any Operand, name: String?) {
    self.operand = operand
    self.name = name ?? operand.description
    let path = (operand as? PathOperand)?.path
    let isOwn = path.map { $0.hops.isEmpty && $0.composite == nil && $0.depth == 0 } ?? false
    slot = isOwn ? path?.slot : nil
    absentValue = isOwn ? path?.absentValue : nil
  }
}
