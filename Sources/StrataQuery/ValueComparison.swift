// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A comparison of two operands of which neither is a constant that the other's type fits: two
/// properties of an object, a count and a number.
struct ValueComparison: Condition {
  let left: any Operand
  let comparison: Comparison.Operator
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

extension Comparison.Operator {
  /// Whether it holds of values in this order: negative if the left one comes first.
  func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// The operator with its sides exchanged.
  var flipped: Comparison.Operator {
    switch self {
    case .equal: .equal
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
