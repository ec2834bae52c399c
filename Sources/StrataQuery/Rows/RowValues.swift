// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
public import StrataRecord

/// The columns of the current row of a fetch, which are read one after the other, each as the type
/// that the caller requests.
///
/// A column that is a property of the object itself is decoded from the record in place. The
/// decoding code is compiled in the client for the column's type.
///
/// ## Isolation
/// It belongs to one fetch and is not Sendable. It has a row only during the call that passes the
/// row.
@usableFromInline
package final class RowValues {
  private let columns: [ResolvedColumn]
  private let reader: RowReader
  /// The slot of each column that is a property of the object itself; -1 for other columns.
  @usableFromInline let slots: [Int]
  private var key: ObjectKey
  // Safety: `@exclusivity(unchecked)` saves several run-time checks per value. The values belong to
  // one fetch, and no access to them runs code that could access them again.
  /// The row's first byte; nil before the first row.
  @exclusivity(unchecked) @usableFromInline var start: UnsafeRawPointer?
  @exclusivity(unchecked) @usableFromInline var layout: RecordLayout
  @exclusivity(unchecked) @usableFromInline var next = 0

  /// - Parameter layout: the layout that the first row probably has.
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

  /// Moves to a row of the fetch.
  @inline(__always)
  func begin(_ row: Row) {
    key = row.key
    start = row.start
    if layout !== row.layout { layout = row.layout }
    next = 0
  }

  /// Returns the value of the next column.
  ///
  /// - Throws: `QueryError.noValue` if the value is nil and the type is not optional; errors of the
  ///   store.
  /// - Precondition: there is a next column.
  @inlinable
  @inline(__always)
  package func take<V: ColumnValue>(_: V.Type = V.self) throws -> V {
    let place = next
    next = place + 1
    let slot = slots[place]
    guard slot >= 0, let start else { return try calculate(place) }
    return try V.read(layout.slot(slot, at: start)) { try calculate(place) }
  }

  /// Returns the value of a column that is not a slot of the object itself.
  @usableFromInline
  func calculate<V: ColumnValue>(_ place: Int) throws -> V {
    let column = columns[place]
    if let value = V(value: try column.operand.value(of: row, reader)) { return value }
    // A value that the type cannot represent, such as an unknown raw value of an enum or a sum that
    // is too large, reads as a property that was never set.
    if let value = V(value: column.absentValue ?? .null) { return value }
    throw QueryError.noValue(column: column.name)
  }

  /// The names of the columns.
  var names: [String] { columns.map(\.name) }

  /// Returns the values of all columns.
  package func all() throws -> [PropertyValue] {
    try columns.map { try $0.operand.value(of: row, reader) }
  }

  private var row: Row {
    guard let start else { stopProgram("a row is read while it is shown") }
    return Row(key: key, start: start, layout: layout)
  }
}

/// A resolved column.
struct ResolvedColumn: Sendable {
  let name: String
  let operand: any Operand
  /// The slot of a column that is a property of the object itself; nil for other columns.
  let slot: Int?
  /// The value of a property that was never set; nil for a column that is not a property of the
  /// object itself.
  let absentValue: PropertyValue?

  init(_ operand: any Operand, name: String?) {
    self.operand = operand
    self.name = name ?? operand.description
    let own = operand.property.flatMap { $0.isDirect ? $0 : nil }
    slot = own?.slot
    absentValue = own?.absentValue
  }
}
