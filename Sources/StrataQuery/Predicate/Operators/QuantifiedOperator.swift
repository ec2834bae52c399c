// SPDX-License-Identifier: Apache-2.0

/// A quantified operator of a format string: `ANY cities.name == "Bam"`. The path on the left goes
/// through a to-many relationship. The rest of the path begins at the members. If the rest goes
/// through another to-many relationship, the same quantifier applies to that relationship's
/// members.
struct QuantifiedOperator: PredicateNode {
  let quantifier: Quantification.Quantifier
  let operation: any OperatorNode

  init(_ quantifier: Quantification.Quantifier, _ operation: any OperatorNode) {
    self.quantifier = quantifier
    self.operation = operation
  }

  /// Without the collections of the path, which are counted when it is resolved.
  var extent: TreeExtent { operation.extent.enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    // NONE negates ANY as a whole: it then applies to all nested collections together.
    if quantifier == .none {
      return Not(try QuantifiedOperator(.any, operation).resolved(by: resolver))
    }
    guard let path = resolver.bound(operation.left) as? PathNode,
      case .collection(let collection, let rest) = try resolver.resolve(path.path)
    else {
      let left = try operation.left.resolved(by: resolver)
      throw .mismatchedOperands(left: "a to-many relationship", right: left.description)
    }
    let scope = Scope()
    let left = PathReference(scope: scope, steps: rest)
    let inner = try resolver.enteringOnPath(scope, collection.destination)
    var ofMember = operation
    ofMember.left = PathNode(left)
    // The quantifier applies again if the rest of the path goes through another to-many
    // relationship.
    if case .collection = try inner.resolve(left) {
      let nested = QuantifiedOperator(quantifier, ofMember)
      return quantifier.condition(collection, try nested.resolved(by: inner))
    }
    return quantifier.condition(collection, try ofMember.resolved(by: inner))
  }
}
