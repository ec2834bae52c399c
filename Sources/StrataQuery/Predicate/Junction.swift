// SPDX-License-Identifier: Apache-2.0

/// `left && right`.
typealias Conjunction = Junction<AllOf>

/// `left || right`.
typealias Disjunction = Junction<AnyOf>

/// Several predicates joined by one operator.
struct Junction<Whole: Joining>: PredicateNode {
  private let operands: JoinedNodes
  /// The extent of the operands side by side.
  private let content: TreeExtent

  init(_ operands: [any PredicateNode]) {
    self.operands = JoinedNodes(operands)
    content = operands.reduce(TreeExtent.nothing) { $0.beside($1.extent) }
  }

  /// Joins two predicates. A side that is a junction of the same operator contributes its operands,
  /// so that a long chain remains flat.
  init(_ left: any PredicateNode, _ right: any PredicateNode) {
    let (one, two) = (left as? Self, right as? Self)
    if one == nil, two == nil {
      operands = JoinedNodes([left, right])
    } else {
      operands = JoinedNodes(
        one?.operands ?? JoinedNodes([left]), two?.operands ?? JoinedNodes([right]))
    }
    content = (one?.content ?? left.extent).beside(two?.content ?? right.extent)
  }

  var extent: TreeExtent { content.enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let whole = Whole(
      try operands.all.map { (operand) throws(QueryError) in try operand.resolved(by: resolver) })
    return whole.conditions.count == 1 ? whole.conditions[0] : whole
  }
}

/// A condition made of several conditions. Members of the same kind are flattened.
protocol Joining: Condition {
  init(_ conditions: [any Condition])

  var conditions: [any Condition] { get }
}

extension AllOf: Joining {
  var conditions: [any Condition] { terms }
}

extension AnyOf: Joining {
  var conditions: [any Condition] { branches }
}
