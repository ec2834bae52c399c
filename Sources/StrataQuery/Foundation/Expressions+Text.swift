// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// What is asked of texts.

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard Base.Output.self == String.self else {
      throw .unsupportedExpression(ExpressionTranslator.name(of: self))
    }
    return .predicate(
      TextMatch(try translator.operand(base), .prefix, try translator.operand(prefix)))
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard Base.Output.self == String.self else {
      throw .unsupportedExpression(ExpressionTranslator.name(of: self))
    }
    return .predicate(
      TextMatch(try translator.operand(base), .infix, try translator.operand(other)))
  }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard case .pattern(let pattern) = try translator.meaning(of: regex) else {
      throw .unsupportedExpression("a regular expression that is no constant")
    }
    return .predicate(PatternMatch(text: try translator.operand(subject), pattern: pattern))
  }
}
