// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// Comparisons and arithmetic.

extension PredicateExpressions.Equal: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(try translator.equality(lhs, rhs))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(Negation(try translator.equality(lhs, rhs)))
  }
}

extension ExpressionTranslator {
  fileprivate func equality(
    _ left: any PredicateExpression, _ right: any PredicateExpression
  ) throws(QueryError) -> any PredicateNode {
    Comparison(try operand(left), .equal, try operand(right))
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
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

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let operation: Number.Operator
    switch op {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    @unknown default: throw .unsupportedExpression("the operator \(op)")
    }
    return try translator.calculation(lhs, operation, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    // A product and not a difference from 0, so that the result may be -0.
    .operand(ArithmeticNode(try translator.operand(wrapped), .multiply, Constant(.int(-1))))
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.calculation(lhs, .divide, rhs)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.calculation(lhs, .divide, rhs)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.calculation(lhs, .remainder, rhs)
  }
}

extension ExpressionTranslator {
  fileprivate func calculation(
    _ left: any PredicateExpression, _ operation: Number.Operator, _ right: any PredicateExpression
  ) throws(QueryError) -> ExpressionMeaning {
    .operand(ArithmeticNode(try operand(left), operation, try operand(right)))
  }
}
