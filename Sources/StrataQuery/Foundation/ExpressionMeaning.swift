// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// The translation of a Foundation expression into a node. The same path may be a value to compare,
/// a truth value used as a condition, or a relationship with members. The surrounding expression
/// decides between these.
enum ExpressionMeaning {
  /// A path with a value that is nil unless all of `guards` are true: the casts on the path.
  case path(PathReference, guards: [any PredicateNode])
  /// A to-many relationship with filters.
  case collection(CollectionNode, guards: [any PredicateNode])
  case operand(any OperandNode)
  /// A truth value.
  case predicate(any PredicateNode)
  /// A truth value that is nil unless `exists` is true.
  case optionalPredicate(any PredicateNode, exists: any PredicateNode)
  case range(lower: any OperandNode, upper: any OperandNode, isClosed: Bool)
  /// A regular expression of Swift.
  case pattern(PredicateExpressions.PredicateRegex)
}

// MARK: - The form that the surrounding expression needs

extension ExpressionMeaning {
  /// Returns the meaning as an operand.
  ///
  /// - Throws: `QueryError.unsupportedExpression` for a collection, a range or a regular
  ///   expression.
  func operand() throws(QueryError) -> any OperandNode {
    switch self {
    case .path(let path, let guards):
      return ConditionalNode.guarded(PathNode(path.withoutLastCast), by: guards)
    case .operand(let operand): return operand
    case .predicate(let predicate): return TruthNode(predicate)
    case .optionalPredicate(let predicate, let exists):
      return ConditionalNode.guarded(TruthNode(predicate), by: [exists])
    case .collection: throw .unsupportedExpression("a collection as a value")
    case .range: throw .unsupportedExpression("a range as a value")
    case .pattern: throw .unsupportedExpression("a regular expression as a value")
    }
  }

  /// Returns the meaning as a condition.
  ///
  /// - Throws: `QueryError.unsupportedExpression` for a collection, a range or a regular
  ///   expression.
  func predicate() throws(QueryError) -> any PredicateNode {
    switch self {
    case .predicate(let predicate): return predicate
    case .optionalPredicate(let predicate, let exists): return Conjunction(exists, predicate)
    default: break
    }
    let operand = try operand()
    if let constant = operand as? Constant, case .bool(let isTrue) = constant.value {
      return Verdict(isTrue: isTrue)
    }
    return Comparison(operand, .equal, Constant(.bool(true)))
  }

  /// Returns the meaning as a relationship with members, and the conditions under which it exists.
  ///
  /// - Throws: `QueryError.unsupportedExpression` if the meaning is not a relationship.
  func collection() throws(QueryError) -> (collection: CollectionNode, guards: [any PredicateNode])
  {
    switch self {
    case .path(let path, let guards): return (CollectionNode(path), guards)
    case .collection(let collection, let guards): return (collection, guards)
    default: throw .unsupportedExpression("members of something else than a relationship")
    }
  }

  /// Returns the condition that an optional value is not nil.
  ///
  /// - Throws: `QueryError.unsupportedExpression` for a collection, a range or a regular
  ///   expression.
  func exists() throws(QueryError) -> any PredicateNode {
    if case .path(let path, let guards) = self, path.withoutLastCast.steps.isEmpty {
      return Conjunction(guards)
    }
    if case .optionalPredicate(_, let exists) = self { return exists }
    return Negation(Comparison(try operand(), .equal, Constant(.null)))
  }
}
