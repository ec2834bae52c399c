// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
package struct Conjunction: PredicateNode {
  let operands: [any PredicateNode]

  package init(_ operands: [any PredicateNode]) { self.operands = operands }

  /// Takes the operands of the same operator on either side as its own, so that a long chain is flat.
  package init(_ left: any PredicateNode, _ right: any PredicateNode) {
    operands =
      ((left as? Conjunction)?.operands ?? [left]) + ((right as? Conjunction)?.operands ?? [right])
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Conjunction(operands.map { $0.substituting(values) })
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    var terms: [any Condition] = []
    for operand in operands { terms += try operand.resolved(by: resolver).terms }
    return AllOf(terms)
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

  /// What the terms have in common, if all are about one slot.
  package var stretch: SlotStretch? {
    guard var common = terms.first?.stretch else { return nil }
    for term in terms.dropFirst() {
      guard let stretch = term.stretch, stretch.slot == common.slot else { return nil }
      common.keys = common.keys.intersection(stretch.keys)
    }
    return common
  }

  package var description: String {
    terms.map(\.description).joined(separator: " && ")
  }
}
