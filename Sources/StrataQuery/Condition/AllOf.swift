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
  package var range: SlotRange? { terms.range { $0.intersection($1) } }

  package var description: String {
    terms.map(\.description).joined(separator: " && ")
  }
}

extension [any Condition] {
  /// Returns the joined index ranges of the conditions; nil if the conditions are not all on one
  /// slot.
  func range(joinedBy join: (IndexRange, IndexRange) -> IndexRange) -> SlotRange? {
    guard var joined = first?.range else { return nil }
    for condition in dropFirst() {
      guard let (slot, range) = condition.range, slot == joined.slot else { return nil }
      joined.range = join(joined.range, range)
    }
    return joined
  }
}
