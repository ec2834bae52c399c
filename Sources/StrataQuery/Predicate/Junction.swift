// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
typealias Conjunction = Junction<AllOf>

/// `left || right`.
typealias Disjunction = Junction<AnyOf>

/// Predicates that are one together.
struct Junction<Whole: Joining>: PredicateNode {
  let operands: [any PredicateNode]

  init(_ operands: [any PredicateNode]) { self.operands = operands }

  /// Takes the operands of the same operator on either side as its own, so that a long chain is flat.
  init(_ left: any PredicateNode, _ right: any PredicateNode) {
    operands = ((left as? Self)?.operands ?? [left]) + ((right as? Self)?.operands ?? [right])
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    var conditions: [any Condition] = []
    for operand in operands { conditions.append(try operand.resolved(by: resolver)) }
    return Whole(conditions)
  }
}

/// A condition that several make together; one of the same kind among them is taken apart.
protocol Joining: Condition {
  init(_ conditions: [any Condition])
}

extension AllOf: Joining {}

extension AnyOf: Joining {}
