// SPDX-License-Identifier: Apache-2.0

/// Constants and lists of constants, by the names of the variables that they replace.
typealias Substitution = [String: any OperandNode]

/// `$name`: a placeholder for a constant. Core Data: a substitution variable.
struct VariableNode: OperandNode {
  let name: String

  var extent: TreeExtent { .leaf }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    guard let value = resolver.variables[name] else { throw .unboundVariable("$" + name) }
    // The value of a variable has no variables itself.
    return try value.resolved(by: resolver.withoutVariables)
  }
}

/// A predicate with values for its variables. An inner value for the same variable takes
/// precedence.
struct BoundPredicate: PredicateNode {
  private let predicate: any PredicateNode
  private let values: Substitution
  let extent: TreeExtent

  init(_ predicate: any PredicateNode, values: Substitution) {
    self.predicate = predicate
    self.values = values
    extent = predicate.extent.enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    try predicate.resolved(by: resolver.binding(values))
  }
}

extension PathResolver {
  /// Returns the operand, or the value of the variable that it is.
  func bound(_ operand: any OperandNode) -> any OperandNode {
    if variables.isEmpty { return operand }
    return (operand as? VariableNode).flatMap { variables[$0.name] } ?? operand
  }
}
