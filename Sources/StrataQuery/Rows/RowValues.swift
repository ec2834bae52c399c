// SPDX-License-Identifier: Apache-2.0
package import StrataModel
public import StrataRecord

/// The columns of one row, while it is shown: read one after the other, each as the type that the
/// program wants.
///
/// A column that is a property of the object itself is decoded from the record in place, by code that
/// is compiled for its type where the program is.
///
/// ## Isolation
/// One fetch's; not Sendable. It has a row only during the call that it is handed to.
@usableFromInline
package final class RowValues {
  private let columns: [ResolvedColumn]
  private let reader: RowReader
  /// The slots of the object itself that the columns are; -1 for those that are none.
  @usableFromInline let slots: [Int]
  // Safety: `@exclusivity(unchecked)` spares each value several run-time checks. The values are of one
  // fetch, and no access to these runs code that could reach them again.
  @exclusivity(unchecked) private var key: ObjectKey
  /// The row's first byte; nil before the first row.
  @exclusivity(unchecked) @usableFromInline var start: UnsafeRawPointer?
  @exclusivity(unchecked) @usableFromInline var layout: RecordLayout
  @exclusivity(unchecked) @usableFromInline var next = 0

  /// - Parameter layout: the layout that the first row has, most likely.
  init(_ columns: [ResolvedColumn], _ reader: RowReader, _ layout: RecordLayout) {
    self.columns = columns
    self.reader = reader
    self.layout = layout
    slots = columns.map { $0.slot ?? -1 }
    key = ObjectKey(rawValue: 0)
  }

  convenience init(_ columns: [ResolvedColumn], of row: Row, _ reader: RowReader) {
    self.init(columns, reader, row.layout)
    begin(row)
  }

  /// Goes on to a row of the fetch.
  @inline(__always)
  func begin(_ row: Row) {
    key = row.key
    start = row.start
    if layout !== row.layout { layout = row.layout }
    next = 0
  }

  /// The value of the next column.
  ///
  /// - Throws: `QueryError.noValue` if it has none, and the type has no nil; what the store throws.
  /// - Precondition: there is another column.
  @inlinable
  @inline(__always)
  package func take<V: ColumnValue>(_: V.Type = V.self) throws -> V {
    let place = next
    next = place + 1
    let slot = slots[place]
    guard slot >= 0, let start else { return try calculate(place) }
    return try V.read(layout.slot(slot, at: start)) { try calculate(place) }
  }

  /// The value of a column that is in no slot of the object itself.
  @usableFromInline
  func calculate<V: ColumnValue>(_ place: Int) throws -> V {
    let column = columns[place]
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

  private var row: Row {
    guard let start else { preconditionFailure("a row is read while it is shown") }
    return Row(key: key, start: start, layout: layout)
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
