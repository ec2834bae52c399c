// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A comparison of two operands of which neither is a constant that the other's type fits: two
/// properties of an object, a count and a number.
struct ValueComparison: Condition {
  let left: any Operand
  let comparison: ComparisonOperator
  let right: any Operand
  let options: TextOptions

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    let left = options.folded(try left.value(of: row, reader))
    let right = options.folded(try right.value(of: row, reader))
    if comparison == .equal { return ValueOrder.areEqual(left, right) }
    return ValueOrder.order(left, right).map(comparison.holds) ?? false
  }

  var description: String { "\(left) \(comparison.rawValue)\(options) \(right)" }
}
