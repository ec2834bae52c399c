// SPDX-License-Identifier: Apache-2.0

/// `left BETWEEN {lower, upper}`, both bounds included. The operator becomes two comparisons, which
/// the planner joins.
struct Between: OperatorNode {
  var left: any OperandNode
  let bounds: any OperandNode

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let bounds = resolver.bound(bounds)
    guard let list = bounds as? ListNode, list.elements.count == 2 else {
      // Resolving a variable without a value throws the error that names it.
      if !(bounds is ListNode) { _ = try bounds.resolved(by: resolver) }
      throw .mismatchedOperands(left: "a list of two bounds", right: "another")
    }
    let lower = Comparison(left, .greaterOrEqual, list.elements[0])
    let upper = Comparison(left, .lessOrEqual, list.elements[1])
    return AllOf([try lower.resolved(by: resolver), try upper.resolved(by: resolver)])
  }
}
