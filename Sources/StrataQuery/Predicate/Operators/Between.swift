// SPDX-License-Identifier: Apache-2.0

/// `left BETWEEN {lower, upper}`, both ends included: its two comparisons, which the planner joins.
package struct Between: OperatorNode {
  package let left: any OperandNode
  let bounds: any OperandNode

  package init(_ left: any OperandNode, _ bounds: any OperandNode) {
    self.left = left
    self.bounds = bounds
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode { Between(left, bounds) }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Between(left.substituting(values), bounds.substituting(values))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    guard let list = bounds as? ListNode, list.elements.count == 2 else {
      // A variable that is not bound says so itself.
      if !(bounds is ListNode) { _ = try bounds.resolved(by: resolver) }
      throw .mismatchedOperands(left: "a list of two bounds", right: "another")
    }
    let lower = Comparison(left, .greaterOrEqual, list.elements[0])
    let upper = Comparison(left, .lessOrEqual, list.elements[1])
    return AllOf([try lower.resolved(by: resolver), try upper.resolved(by: resolver)])
  }
}
