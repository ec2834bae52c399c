// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
package struct Conjunction: PredicateNode {
  let left: any PredicateNode
  let right: any PredicateNode

  package init(_ left: any PredicateNode, _ right: any PredicateNode) {
    self.left = left
    self.right = right
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    AllOf(try left.resolved(by: resolver).terms + right.resolved(by: resolver).terms)
  }
}

/// Conditions that all hold. Of none it is true.
package struct AllOf: Condition {
  package let terms: [any Condition]

  package init(_ terms: [any Condition]) { self.terms = terms }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for term in terms where try !term.isTrue(of: row, reader) { return false }
    return true
  }

  /// The narrowest stretch that a term has, or that several have of one index.
  package var stretch: IndexStretch? { IndexChoice(among: terms)?.stretch }

  package var description: String {
    terms.map(\.description).joined(separator: " && ")
  }
}
