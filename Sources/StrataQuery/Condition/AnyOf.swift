// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// A disjunction of conditions; false if there are none.
///
/// Equalities of one property are one branch, so that an object costs one test whatever the number
/// of constants. A branch that is never true is left out.
package struct AnyOf: Condition {
  package let branches: [any Condition]

  /// Creates a disjunction. The branches of a nested disjunction become branches of this one.
  package init(_ branches: [any Condition]) {
    let all = branches.flatMap { ($0 as? AnyOf)?.branches ?? [$0] }
    let open = all.filter { $0.verdict == nil }
    if all.contains(where: { $0.verdict == true }) {
      self.branches = [Verdict(isTrue: true)]
    } else if open.isEmpty, let never = all.first {
      self.branches = [never]
    } else {
      self.branches = open.joiningEqualities()
    }
  }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for branch in branches where try branch.isTrue(of: row, reader) { return true }
    return false
  }

  package func recordTest(in layout: RecordLayout) -> RecordTest? {
    let tests = branches.compactMap { $0.recordTest(in: layout) }
    guard tests.count == branches.count else { return nil }
    return RecordTest { start in tests.contains { $0.passes(at: start) } }
  }

  /// The union of the branches' index ranges, if all branches are on one slot.
  package var range: SlotRange? { branches.range(joinedBy: IndexRange.union) }

  /// The branches. The planner needs a source for each of them.
  package var lead: Lead? { .anyOf(branches) }

  package var description: String {
    "(\(branches.map(\.description).joined(separator: " || ")))"
  }
}
