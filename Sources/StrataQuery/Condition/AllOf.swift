// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// A conjunction of conditions; true if there are none.
///
/// Inequalities of one property are one term, so that an object costs one test whatever the number
/// of constants. A term that is always true is left out.
package struct AllOf: Condition {
  package let terms: [any Condition]

  /// Creates a conjunction. The terms of a nested conjunction become terms of this one.
  package init(_ terms: [any Condition]) {
    let all = terms.flatMap { $0.terms }
    if all.contains(where: { $0.verdict == false }) {
      self.terms = [Verdict(isTrue: false)]
    } else {
      self.terms = all.filter { $0.verdict == nil }.joiningEqualities(denied: true)
    }
  }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for term in terms where try !term.isTrue(of: row, reader) { return false }
    return true
  }

  package func recordTest(in layout: RecordLayout) -> RecordTest? {
    let tests = terms.compactMap { $0.recordTest(in: layout) }
    guard tests.count == terms.count else { return nil }
    return RecordTest(all: tests)
  }

  /// Returns the terms that are tests of bytes as a single test, and the other terms; nil if there
  /// are none.
  func split(for layout: RecordLayout) -> (test: RecordTest, rest: (any Condition)?) {
    let rest = terms.filter { $0.recordTest(in: layout) == nil }
    let tests = terms.compactMap { $0.recordTest(in: layout) }
    return (RecordTest(all: tests), rest.isEmpty ? nil : AllOf(rest))
  }

  /// The intersection of the terms' index ranges, if all terms are on one slot.
  package var range: SlotRange? { terms.range(joinedBy: IndexRange.intersection) }

  package var description: String {
    terms.map(\.description).joined(separator: " && ")
  }
}

extension [any Condition] {
  /// Returns the joined index ranges of the conditions; nil if the conditions are not all on one
  /// slot.
  func range(joinedBy join: ([IndexRange]) -> IndexRange) -> SlotRange? {
    guard let first = first?.range else { return nil }
    var ranges = [first.range]
    for condition in dropFirst() {
      guard let (slot, range) = condition.range, slot == first.slot else { return nil }
      ranges.append(range)
    }
    return (first.slot, join(ranges))
  }
}
