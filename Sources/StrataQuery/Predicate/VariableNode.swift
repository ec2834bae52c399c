// SPDX-License-Identifier: Apache-2.0

/// `$name`: a constant that is filled in later. Core Data: a substitution variable.
package struct VariableNode: OperandNode {
  let name: String

  package init(_ name: String) { self.name = name }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    throw .unboundVariable("$" + name)
  }

  package func substituting(_ values: Substitution) -> any OperandNode { values[name] ?? self }
}

/// Constants and lists of them, by the names of the variables that they replace.
package typealias Substitution = [String: any OperandNode]
