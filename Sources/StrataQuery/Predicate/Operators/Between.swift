// SPDX-License-Identifier: Apache-2.0

/// `left BETWEEN {lower, upper}`, both bounds included, or a range of Swift. The operator becomes
/// two comparisons, which the planner joins.
struct Between: OperatorNode {
  var left: any OperandNode
  /// A list of two bounds, or a variable.
  let bounds: any OperandNode
  /// Whether the upper bound is in the range.
  let isClosed: Bool

  init(_ left: any OperandNode, _ bounds: any OperandNode, isClosed: Bool = true) {
    self.left = left
    self.bounds = bounds
    self.isClosed = isClosed
  }

  var extent: TreeExtent { left.extent.beside(bounds.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let bounds = resolver.bound(bounds)
    guard let list = bounds as? ListNode, list.elements.count == 2 else {
      // Resolving a variable without a value throws the error that names it.
      if !(bounds is ListNode) { _ = try bounds.resolved(by: resolver) }
      throw .mismatchedOperands(left: "a list of two bounds", right: "another")
    }
    let lower = Comparison(left, .greaterOrEqual, list.elements[0])
    let upper = Comparison(left, isClosed ? .lessOrEqual : .less, list.elements[1])
    let operand = try left.resolved(by: resolver)
    return try operand.evaluatedOnce(by: "between") { operand throws(QueryError) in
      AllOf([
        try lower.resolved(with: operand, by: resolver),
        try upper.resolved(with: operand, by: resolver),
      ])
    }
  }
}
