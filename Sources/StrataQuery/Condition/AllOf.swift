// SPDX-License-Identifier: Apache-2.0

/// A conjunction of conditions; true if there are none.
package struct AllOf: Condition {
  package let terms: [any Condition]

  /// Creates a conjunction. The terms of a nested conjunction become terms of this one.
  package init(_ terms: [any Condition]) { self.terms = terms.flatMap { $0.terms } }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for term in terms where try !term.isTrue(of: row, reader) { return false }
    return true
  }

  /// The intersection of the terms' index ranges, if all terms are on one slot.
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
