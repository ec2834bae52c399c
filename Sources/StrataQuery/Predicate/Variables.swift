// SPDX-License-Identifier: Apache-2.0

/// Constants and lists of them, by the names of the variables that stand for them.
typealias Substitution = [String: any OperandNode]

/// `$name`: a constant that is filled in later. Core Data: a substitution variable.
struct VariableNode: OperandNode {
  let name: String

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    guard let value = resolver.variables[name] else { throw .unboundVariable("$" + name) }
    // What a variable stands for has no variables of its own.
    return try value.resolved(by: resolver.withoutVariables)
  }
}

/// A predicate with values for its variables. A variable that has a value further in keeps it.
struct BoundPredicate: PredicateNode {
  let predicate: any PredicateNode
  let values: Substitution

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    try predicate.resolved(by: resolver.binding(values))
  }
}

extension PathResolver {
  /// The operand, or what it stands for if it is a variable with a value.
  func bound(_ operand: any OperandNode) -> any OperandNode {
    if variables.isEmpty { return operand }
    return (operand as? VariableNode).flatMap { variables[$0.name] } ?? operand
  }
}
