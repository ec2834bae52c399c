// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// Variables, constants and key paths.

extension PredicateExpressions.Variable {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard let meaning = translator.variables[key] else {
      throw .unsupportedExpression("a variable of another predicate")
    }
    return meaning
  }
}

extension PredicateExpressions.Value {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    // This test precedes the one for lists, because a range of integers is also a sequence.
    if let range = value as? any BoundedRange, let meaning = range.meaning { return meaning }
    if let operand = FormatParser.operand(value as Any?) { return .operand(operand) }
    if let pattern = value as? PredicateExpressions.PredicateRegex {
      return .pattern(pattern)
    }
    throw .unsupportedExpression("a constant of type \(Output.self)")
  }
}

extension PredicateExpressions.NilLiteral {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .operand(Constant(.null))
  }
}

extension PredicateExpressions.KeyPath {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    // The key path of a constant is a constant: `names.count`.
    if let constant = root as? PredicateExpressions.Value<Root.Output> {
      return try PredicateExpressions.Value(constant.value[keyPath: keyPath]).meaning(translator)
    }
    let root = try translator.meaning(of: root)
    if Root.Output.self == String.self, let kind {
      return try meaning(kind, ofText: try root.operand())
    }
    if let property = try property(of: root) {
      let (collection, guards) = try root.collection()
      let count = ConditionalNode.guarded(CountNode(collection), by: guards)
      guard property == .isEmpty else { return .operand(count) }
      return .predicate(Comparison(count, .equal, Constant(.int(0))))
    }
    guard case .path(let path, let guards) = root else {
      throw .unsupportedExpression("a key path from something else than an object")
    }
    return .path(path.appending(.keyPath(keyPath)), guards: guards)
  }

  private func meaning(
    _ kind: CommonKeyPathKind, ofText text: any OperandNode
  ) throws(QueryError) -> ExpressionMeaning {
    switch kind {
    case .collectionCount: return .operand(TextLengthNode(text))
    case .collectionIsEmpty:
      return .predicate(Comparison(text, .equal, Constant(.string(""))))
    default: throw .unsupportedExpression("\(kind) of a text")
    }
  }

  /// Returns the property of a whole relationship; nil if the root is not a relationship.
  private func property(of root: ExpressionMeaning) throws(QueryError) -> MemberProperty? {
    let property: MemberProperty?
    if let members = Root.Output.self as? any MemberCollection.Type {
      property = members.property(at: keyPath)
    } else if case .collection = root {
      property = kind == .collectionCount ? .count : kind == .collectionIsEmpty ? .isEmpty : nil
    } else if let kind {
      throw .unsupportedExpression("\(kind) of an operand that is not a relationship")
    } else {
      return nil
    }
    guard let property else {
      throw .unsupportedExpression("the element of a relationship that \(keyPath) is")
    }
    return property
  }
}

/// A range of attribute values with an erased type.
private protocol BoundedRange {
  var meaning: ExpressionMeaning? { get }
}

extension BoundedRange {
  fileprivate func meaning(
    _ lower: some Any, _ upper: some Any, isClosed: Bool
  ) -> ExpressionMeaning? {
    guard let lower = FormatParser.operand(lower), let upper = FormatParser.operand(upper)
    else { return nil }
    return .range(lower: lower, upper: upper, isClosed: isClosed)
  }
}

extension Range: BoundedRange {
  fileprivate var meaning: ExpressionMeaning? { meaning(lowerBound, upperBound, isClosed: false) }
}

extension ClosedRange: BoundedRange {
  fileprivate var meaning: ExpressionMeaning? { meaning(lowerBound, upperBound, isClosed: true) }
}
