// SPDX-License-Identifier: Apache-2.0

/// One operator of a predicate, over key paths that are not resolved yet.
///
/// A new operator is a new conforming type. Only format strings have lists of the operators: in
/// `FormatParser` and in `FormatParser+Operands`.
package protocol PredicateNode: Sendable {
  /// Returns the condition: key paths become slots, variables become their values, and constants
  /// are checked.
  ///
  /// - Throws: `QueryError` if a key path is not a stored property, or if an operand does not fit.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition

  /// The size of the tree (I1 of `TreeExtent`).
  var extent: TreeExtent { get }

  /// The node as a comparison of a property with a constant; nil for other nodes.
  var constantTerm: ConstantTerm? { get }
}

extension PredicateNode {
  package var constantTerm: ConstantTerm? { nil }
}

/// An operator with a left side that may be the elements of a collection:
/// `ANY cities.name LIKE "B*"`.
protocol OperatorNode: PredicateNode {
  var left: any OperandNode { get set }
}

extension Verdict: PredicateNode {
  package var extent: TreeExtent { .leaf }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition { self }
}
