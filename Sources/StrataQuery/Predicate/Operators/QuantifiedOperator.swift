// SPDX-License-Identifier: Apache-2.0

/// An operator with a quantifier before it, as in a format string: `ANY cities.name == "Bam"`. The
/// path on the left goes through a to-many relationship; what follows it is said of the members, and
/// if another one follows, of their members in turn, with the same quantifier.
package struct QuantifiedOperator: PredicateNode {
  let quantifier: Quantification.Quantifier
  let operation: any OperatorNode

  package init(_ quantifier: Quantification.Quantifier, _ operation: any OperatorNode) {
    self.quantifier = quantifier
    self.operation = operation
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    // None is "not any" as a whole: none of the cities of none of the regions is something else.
    if quantifier == .none {
      return Not(try QuantifiedOperator(.any, operation).resolved(by: resolver))
    }
    guard let path = operation.left as? PathNode,
      case .collection(let collection, let rest) = try resolver.end(of: path.path)
    else {
      let left = try operation.left.resolved(by: resolver)
      throw .mismatchedOperands(left: "a to-many relationship", right: left.description)
    }
    let scope = Scope()
    let left = PathReference(scope: scope, steps: rest)
    let inner = resolver.entering(scope, collection.destination)
    let condition = try Self.condition(
      quantifier, operation.replacingLeft(PathNode(left)), left, inner)
    return quantifier.condition(collection, condition)
  }

  /// What is said of each member: the operator itself, or again with the quantifier if the rest of
  /// the path leads through another to-many relationship.
  private static func condition(
    _ quantifier: Quantification.Quantifier, _ operation: any OperatorNode, _ left: PathReference,
    _ resolver: PathResolver
  ) throws(QueryError) -> any Condition {
    guard case .collection = try resolver.end(of: left) else {
      return try operation.resolved(by: resolver)
    }
    return try QuantifiedOperator(quantifier, operation).resolved(by: resolver)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    guard let operation = operation.substituting(values) as? any OperatorNode else { return self }
    return QuantifiedOperator(quantifier, operation)
  }
}
