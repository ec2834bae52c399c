// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// Tests of texts.

extension PredicateExpressions.SequenceStartsWith {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.match(self, base, .prefix, prefix)
  }
}

extension PredicateExpressions.CollectionContainsCollection {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.match(self, base, .infix, other)
  }
}

extension ExpressionTranslator {
  /// Whether a text is part of another. Other sequences are not supported.
  fileprivate func match<Base: PredicateExpression>(
    _ whole: any PredicateExpression, _ base: Base, _ part: TextPart,
    _ other: any PredicateExpression
  ) throws(QueryError) -> ExpressionMeaning {
    guard Base.Output.self == String.self else {
      throw .unsupportedExpression(Self.name(of: whole))
    }
    return .predicate(TextMatch(try operand(base), part, try operand(other)))
  }
}

extension PredicateExpressions.StringContainsRegex {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard case .pattern(let pattern) = try translator.meaning(of: regex) else {
      throw .unsupportedExpression("a regular expression that is not a constant")
    }
    return .predicate(PatternMatch(text: try translator.operand(subject), pattern: pattern))
  }
}
