// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
typealias Conjunction = Junction<AllOf>

/// `left || right`.
typealias Disjunction = Junction<AnyOf>

/// Several predicates joined by one operator.
struct Junction<Whole: Joining>: PredicateNode {
  let operands: [any PredicateNode]

  init(_ operands: [any PredicateNode]) { self.operands = operands }

  /// Joins two predicates. A side that is a junction of the same operator contributes its operands,
  /// so that a long chain remains flat.
  init(_ left: any PredicateNode, _ right: any PredicateNode) {
    operands = ((left as? Self)?.operands ?? [left]) + ((right as? Self)?.operands ?? [right])
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Whole(try operands.map { (operand) throws(QueryError) in try operand.resolved(by: resolver) })
  }
}

/// A condition made of several conditions. Members of the same kind are flattened.
protocol Joining: Condition {
  init(_ conditions: [any Condition])
}

extension AllOf: Joining {}

extension AnyOf: Joining {}
