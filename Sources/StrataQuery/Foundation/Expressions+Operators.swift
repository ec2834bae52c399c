// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// Comparisons and arithmetic.

extension PredicateExpressions.Equal {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(Comparison(try translator.operand(lhs), .equal, try translator.operand(rhs)))
  }
}

extension PredicateExpressions.NotEqual {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
    return .predicate(Negation(Comparison(left, .equal, right)))
  }
}

extension PredicateExpressions.Comparison {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let comparison: ComparisonOperator
    switch op {
    case .lessThan: comparison = .less
    case .lessThanOrEqual: comparison = .lessOrEqual
    case .greaterThan: comparison = .greater
    case .greaterThanOrEqual: comparison = .greaterOrEqual
    @unknown default: throw .unsupportedExpression("the comparison \(op)")
    }
    return .predicate(
      Comparison(try translator.operand(lhs), comparison, try translator.operand(rhs)))
  }
}

// MARK: - Arithmetic

extension PredicateExpressions.Arithmetic {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let operation: Number.Operator
    switch op {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    @unknown default: throw .unsupportedExpression("the operator \(op)")
    }
    return .operand(
      ArithmeticNode(try translator.operand(lhs), operation, try translator.operand(rhs)))
  }
}

extension PredicateExpressions.UnaryMinus {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    // A product and not a difference from 0, so that the result may be -0.
    .operand(ArithmeticNode(try translator.operand(wrapped), .multiply, Constant(.int(-1))))
  }
}

extension PredicateExpressions.IntDivision {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .operand(ArithmeticNode(try translator.operand(lhs), .divide, try translator.operand(rhs)))
  }
}

extension PredicateExpressions.FloatDivision {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .operand(ArithmeticNode(try translator.operand(lhs), .divide, try translator.operand(rhs)))
  }
}

extension PredicateExpressions.IntRemainder {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .operand(ArithmeticNode(try translator.operand(lhs), .remainder, try translator.operand(rhs)))
  }
}
