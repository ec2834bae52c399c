// SPDX-License-Identifier: Apache-2.0

/// A predicate that is true for all objects, or for none. Core Data: TRUEPREDICATE, FALSEPREDICATE.
package struct Verdict: Condition {
  let isTrue: Bool

  package init(isTrue: Bool) { self.isTrue = isTrue }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool { isTrue }

  package var verdict: Bool? { isTrue }

  package var lead: Lead? { isTrue ? nil : .objects([]) }

  package var description: String { isTrue ? "true" : "false" }
}
