// SPDX-License-Identifier: Apache-2.0

/// `!predicate`.
struct Negation: PredicateNode {
  let operand: any PredicateNode
  let extent: TreeExtent

  init(_ operand: any PredicateNode) {
    self.operand = operand
    extent = operand.extent.enclosed
  }

  /// Returns the negation of a predicate: the operand of a predicate that is a negation itself.
  static func negating(_ predicate: any PredicateNode) -> any PredicateNode {
    (predicate as? Negation)?.operand ?? Negation(predicate)
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try operand.resolved(by: resolver))
  }
}
