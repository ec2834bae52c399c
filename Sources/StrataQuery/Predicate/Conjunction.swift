// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
struct Conjunction: PredicateNode {
  let operands: [any PredicateNode]

  init(_ operands: [any PredicateNode]) { self.operands = operands }

  /// Takes the operands of the same operator on either side as its own, so that a long chain is flat.
  init(_ left: any PredicateNode, _ right: any PredicateNode) {
    operands =
      ((left as? Conjunction)?.operands ?? [left]) + ((right as? Conjunction)?.operands ?? [right])
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    var terms: [any Condition] = []
    for operand in operands { terms += try operand.resolved(by: resolver).terms }
    return AllOf(terms)
  }
}
