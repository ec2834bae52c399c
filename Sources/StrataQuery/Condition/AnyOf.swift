// SPDX-License-Identifier: Apache-2.0

/// Conditions of which at least one holds. Of none it is false.
package struct AnyOf: Condition {
  package let branches: [any Condition]

  /// Takes the branches of an "or" within an "or" as its own.
  package init(_ branches: [any Condition]) {
    self.branches = branches.flatMap { ($0 as? AnyOf)?.branches ?? [$0] }
  }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for branch in branches where try branch.isTrue(of: row, reader) { return true }
    return false
  }

  /// What the branches have together, if all are about one slot.
  package var range: SlotRange? {
    guard var union = branches.first?.range else { return nil }
    for branch in branches.dropFirst() {
      guard let (slot, range) = branch.range, slot == union.slot else { return nil }
      union.range = union.range.union(range)
    }
    return union
  }

  /// What each branch has, if all have something.
  package var lead: Lead? { .anyOf(branches) }

  package var description: String {
    "(\(branches.map(\.description).joined(separator: " || ")))"
  }
}
