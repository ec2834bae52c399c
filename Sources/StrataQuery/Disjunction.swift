// SPDX-License-Identifier: Apache-2.0

/// `left || right`.
package struct Disjunction: PredicateNode {
  let left: any PredicateNode
  let right: any PredicateNode

  package init(_ left: any PredicateNode, _ right: any PredicateNode) {
    self.left = left
    self.right = right
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    AnyOf([try left.resolved(by: resolver), try right.resolved(by: resolver)])
  }
}

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

  /// What the branches have together, if one index has a stretch for each.
  package var stretch: IndexStretch? {
    let stretches = branches.compactMap(\.stretch)
    guard var union = stretches.first, stretches.count == branches.count else { return nil }
    for stretch in stretches.dropFirst() {
      guard stretch.slot == union.slot else { return nil }
      union.keys = union.keys.union(stretch.keys)
    }
    return union
  }

  package var description: String {
    "(\(branches.map(\.description).joined(separator: " || ")))"
  }
}
