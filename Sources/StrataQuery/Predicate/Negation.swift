// SPDX-License-Identifier: Apache-2.0

/// `!predicate`.
package struct Negation: PredicateNode {
  let operand: any PredicateNode

  package init(_ operand: any PredicateNode) { self.operand = operand }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Negation(operand.substituting(values))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try operand.resolved(by: resolver))
  }
}
