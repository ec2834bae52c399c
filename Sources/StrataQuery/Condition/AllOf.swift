// SPDX-License-Identifier: Apache-2.0

/// Conditions that all hold. Of none it is true.
package struct AllOf: Condition {
  package let terms: [any Condition]

  /// Takes the terms of an "and" within an "and" as its own.
  package init(_ terms: [any Condition]) { self.terms = terms.flatMap { $0.terms } }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for term in terms where try !term.isTrue(of: row, reader) { return false }
    return true
  }

  /// What the terms have in common, if all are about one slot.
  package var range: SlotRange? {
    guard var common = terms.first?.range else { return nil }
    for term in terms.dropFirst() {
      guard let (slot, range) = term.range, slot == common.slot else { return nil }
      common.range = common.range.intersection(range)
    }
    return common
  }

  package var description: String {
    terms.map(\.description).joined(separator: " && ")
  }
}
