// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The negation of a condition. The negation usually matches most objects, so an index is used only
/// if its entries are the whole result.
package struct Not: Condition {
  package let operand: any Condition

  package init(_ operand: any Condition) { self.operand = operand }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    try !operand.isTrue(of: row, reader)
  }

  package func recordTest(in layout: RecordLayout) -> RecordTest? {
    operand.recordTest(in: layout).map { test in RecordTest { !test.passes(at: $0) } }
  }

  /// The complement of the operand's range, if that range is exact.
  package var range: SlotRange? {
    guard let (slot, range) = operand.range, range.certainty == .all else { return nil }
    return (slot, range.complement)
  }

  package var deniedEquality: Equality? { operand.equality }

  package var description: String { "!(\(operand))" }
}
