// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

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
      translator.compared(
        try translator.operand(lhs), comparison, try translator.operand(rhs), LHS.Output.self))
  }
}

extension ExpressionTranslator {
  /// Returns the comparison of two operands in the order of the `<` of `type`.
  func compared(
    _ left: any OperandNode, _ comparison: ComparisonOperator, _ right: any OperandNode,
    _ type: Any.Type
  ) -> any PredicateNode {
    _Ranks(ofAny: type)?.compared(left, comparison, right) ?? Comparison(left, comparison, right)
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
