// SPDX-License-Identifier: Apache-2.0

/// `left || right`.
struct Disjunction: PredicateNode {
  let operands: [any PredicateNode]

  init(_ operands: [any PredicateNode]) { self.operands = operands }

  /// Takes the operands of the same operator on either side as its own, so that a long chain is flat.
  init(_ left: any PredicateNode, _ right: any PredicateNode) {
    operands =
      ((left as? Disjunction)?.operands ?? [left]) + ((right as? Disjunction)?.operands ?? [right])
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    var branches: [any Condition] = []
    for operand in operands { branches.append(try operand.resolved(by: resolver)) }
    return AnyOf(branches)
  }
}
