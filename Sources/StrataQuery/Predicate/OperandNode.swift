// SPDX-License-Identifier: Apache-2.0

/// An operand of a predicate before resolution: a path, a constant, a calculation. Core Data:
/// `NSExpression`.
///
/// A new kind of operand is a new conforming type. No list of the kinds exists elsewhere.
package protocol OperandNode: Sendable {
  /// Resolves the operand's paths to slots.
  ///
  /// - Throws: `QueryError` if a path or a type does not fit.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand

  /// The size of the tree (I1 of `TreeExtent`).
  var extent: TreeExtent { get }

  /// The value of a constant operand; nil for other operands.
  ///
  /// This is a requirement and not a cast, because a cast takes longer than resolving the operand.
  var constant: Constant? { get }

  /// Whether the operand is a property, or the object itself, without a calculation.
  var isPath: Bool { get }

  /// The key path of a property of the object that the request fetches; nil for other operands.
  var keyPath: (any AnyKeyPath & Sendable)? { get }
}

extension OperandNode {
  package var constant: Constant? { nil }
  package var isPath: Bool { false }
  package var keyPath: (any AnyKeyPath & Sendable)? { nil }
}

extension Constant: OperandNode {
  package var extent: TreeExtent { .constant }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand { self }
}
