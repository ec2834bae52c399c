// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// An operand that is calculated from others: a sum, a count, the first of two values.
struct Calculation: Operand {
  let kind: OperandKind?
  /// The enum property whose order the operand has; nil for other calculations.
  let ranked: ResolvedPath?
  private let describe: @Sendable () -> String
  private let calculate: @Sendable (Row, RowReader) throws -> PropertyValue

  init(
    _ kind: OperandKind?, _ description: @autoclosure @escaping @Sendable () -> String,
    ranking ranked: ResolvedPath? = nil,
    _ calculate: @escaping @Sendable (Row, RowReader) throws -> PropertyValue
  ) {
    self.kind = kind
    self.ranked = ranked
    describe = description
    self.calculate = calculate
  }

  func value(of row: Row, _ reader: RowReader) throws -> PropertyValue {
    try calculate(row, reader)
  }

  var description: String { describe() }
}
