// SPDX-License-Identifier: Apache-2.0

/// A condition that does not hold. What it leaves out is rarely most, so an index serves it only where
/// the entries alone are the answer.
package struct Not: Condition {
  package let operand: any Condition

  package init(_ operand: any Condition) { self.operand = operand }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    try !operand.isTrue(of: row, reader)
  }

  package var stretch: SlotStretch? {
    guard let stretch = operand.stretch, let rest = stretch.keys.complement else { return nil }
    return SlotStretch(slot: stretch.slot, keys: rest)
  }

  package var description: String { "!(\(operand))" }
}
