// SPDX-License-Identifier: Apache-2.0

/// `!predicate`.
struct Negation: PredicateNode {
  let operand: any PredicateNode

  init(_ operand: any PredicateNode) { self.operand = operand }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try operand.resolved(by: resolver))
  }
}
