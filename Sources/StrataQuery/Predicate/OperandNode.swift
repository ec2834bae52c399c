// SPDX-License-Identifier: Apache-2.0

/// What stands beside an operator of a predicate, as it was written: a path, a constant, a sum.
///
/// A later kind of operand is one more conforming type: nothing else lists them.
/// Core Data: `NSExpression`.
package protocol OperandNode: Sendable {
  /// The operand with its paths turned into slots.
  ///
  /// - Throws: `QueryError`, if the operand cannot be.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand

  /// The constant that it is; nil for an operand that is none.
  ///
  /// Asked here and not by a cast, which takes longer than resolving the operand.
  var constant: Constant? { get }

  /// Whether it is a property, or the object itself, as it is.
  var isPath: Bool { get }
}

extension OperandNode {
  package var constant: Constant? { nil }
  package var isPath: Bool { false }
}

extension Constant: OperandNode {
  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand { self }
}
