// SPDX-License-Identifier: Apache-2.0

/// An operator with a quantifier before it, as in a format string: `ANY cities.name == "Bam"`. The
/// path on the left goes through a to-many relationship; what follows it is said of the members, and
/// if another one follows, of their members in turn, with the same quantifier.
struct QuantifiedOperator: PredicateNode {
  let quantifier: Quantification.Quantifier
  let operation: any OperatorNode

  init(_ quantifier: Quantification.Quantifier, _ operation: any OperatorNode) {
    self.quantifier = quantifier
    self.operation = operation
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    // None is "not any" as a whole: none of the cities of none of the regions is something else.
    if quantifier == .none {
      return Not(try QuantifiedOperator(.any, operation).resolved(by: resolver))
    }
    guard let path = resolver.bound(operation.left) as? PathNode,
      case .collection(let collection, let rest) = try resolver.end(of: path.path)
    else {
      let left = try operation.left.resolved(by: resolver)
      throw .mismatchedOperands(left: "a to-many relationship", right: left.description)
    }
    let scope = Scope()
    let left = PathReference(scope: scope, steps: rest)
    let inner = resolver.entering(scope, collection.destination)
    var ofMember = operation
    ofMember.left = PathNode(left)
    // Again with the quantifier if the rest of the path leads through another to-many relationship.
    if case .collection = try inner.end(of: left) {
      let nested = QuantifiedOperator(quantifier, ofMember)
      return quantifier.condition(collection, try nested.resolved(by: inner))
    }
    return quantifier.condition(collection, try ofMember.resolved(by: inner))
  }
}
