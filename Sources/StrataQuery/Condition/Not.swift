// SPDX-License-Identifier: Apache-2.0

/// A condition that does not hold. What it leaves out is rarely most, so an index serves it only where
/// the entries alone are the answer.
package struct Not: Condition {
  package let operand: any Condition

  package init(_ operand: any Condition) { self.operand = operand }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    try !operand.isTrue(of: row, reader)
  }

  /// All other entries, if it is certain which those are.
  package var range: SlotRange? {
    guard let (slot, range) = operand.range, range.certainty == .all else { return nil }
    return (slot, range.complement)
  }

  package var description: String { "!(\(operand))" }
}
