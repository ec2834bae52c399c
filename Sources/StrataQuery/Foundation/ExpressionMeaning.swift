// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// What an expression of Foundation's stands for among our nodes. The same path may be a value to
/// compare, a truth value that is a condition by itself, or a relationship whose members are meant:
/// which one, the expression around it tells.
enum ExpressionMeaning {
  /// A path, which has a value where all of `guards` hold: the casts on its way.
  case path(PathReference, guards: [any PredicateNode])
  /// A to-many relationship that has been filtered.
  case collection(CollectionNode, guards: [any PredicateNode])
  case operand(any OperandNode)
  /// A truth value.
  case predicate(any PredicateNode)
  /// A truth value that there is where `exists` holds; nil elsewhere.
  case optionalPredicate(any PredicateNode, exists: any PredicateNode)
  case range(lower: any OperandNode, upper: any OperandNode, isClosed: Bool)
  /// A regular expression of Swift's.
  case pattern(SwiftPattern)

  /// A constant.
  static func constant(_ value: Value) -> ExpressionMeaning { .operand(Constant(value)) }
}

// MARK: - As what stands around it wants it

extension ExpressionMeaning {
  /// As a value beside an operator.
  ///
  /// - Throws: `unsupportedExpression`, if it is none.
  func operand() throws(QueryError) -> any OperandNode {
    switch self {
    case .path(let path, let guards):
      return ConditionalNode.guarded(PathNode(path.withoutLastCast), by: guards)
    case .operand(let operand): return operand
    case .predicate(let predicate): return TruthNode(predicate: predicate)
    case .optionalPredicate(let predicate, let exists):
      return ConditionalNode.guarded(TruthNode(predicate: predicate), by: [exists])
    case .collection: throw .unsupportedExpression("a collection as a value")
    case .range: throw .unsupportedExpression("a range as a value")
    case .pattern: throw .unsupportedExpression("a regular expression as a value")
    }
  }

  /// As a condition.
  ///
  /// - Throws: as `operand()`.
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

  /// As a relationship whose members are meant, and what has to hold for it to be there.
  ///
  /// - Throws: `unsupportedExpression`, if it is none.
  func collection() throws(QueryError) -> (collection: CollectionNode, guards: [any PredicateNode])
  {
    switch self {
    case .path(let path, let guards): return (CollectionNode(path), guards)
    case .collection(let collection, let guards): return (collection, guards)
    default: throw .unsupportedExpression("members of something else than a relationship")
    }
  }

  /// The condition that there is a value, of what may be nil.
  ///
  /// - Throws: as `operand()`.
  func exists() throws(QueryError) -> any PredicateNode {
    if case .path(let path, let guards) = self, path.withoutLastCast.steps.isEmpty {
      return Conjunction(guards)
    }
    if case .optionalPredicate(_, let exists) = self { return exists }
    return Negation(Comparison(try operand(), .equal, Constant(.null)))
  }
}
