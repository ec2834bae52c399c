// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

// Members of relationships, elements of lists, and values within ranges.

extension PredicateExpressions.SequenceContainsWhere {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.quantified(.any, sequence, variable.key, test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.quantified(.all, sequence, variable.key, test)
  }
}

extension PredicateExpressions.Filter {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let (collection, guards) = try translator.meaning(of: sequence).collection()
    let scope = Scope()
    let condition = try translator.entering(scope, variable.key).predicate(filter)
    return .collection(collection.filtered(scope, condition), guards: guards)
  }
}

extension ExpressionTranslator {
  fileprivate func quantified(
    _ quantifier: Quantification.Quantifier, _ sequence: any PredicateExpression,
    _ variable: PredicateExpressions.VariableID, _ test: any PredicateExpression
  ) throws(QueryError) -> ExpressionMeaning {
    let (collection, guards) = try meaning(of: sequence).collection()
    let scope = Scope()
    let condition = try entering(scope, variable).predicate(test)
    let quantification = Quantification(
      quantifier: quantifier, collection: collection, scope: scope, condition: condition)
    return .predicate(guards.isEmpty ? quantification : Conjunction(guards + [quantification]))
  }

  /// Returns the translator for a condition on members, where `variable` is the member.
  fileprivate func entering(
    _ scope: Scope, _ variable: PredicateExpressions.VariableID
  ) -> ExpressionTranslator {
    binding(variable, to: .path(PathReference(scope: scope, steps: []), guards: []))
  }
}

extension PredicateExpressions.SequenceContains {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let sequence = try translator.meaning(of: sequence)
    if case .range = sequence {
      return try translator.isWithin(sequence, element, LHS.Output.Element.self)
    }
    return .predicate(
      Membership(left: try translator.operand(element), right: try sequence.operand()))
  }
}

// MARK: - Ranges

extension PredicateExpressions.Range {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try .range(lower: translator.operand(lower), upper: translator.operand(upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try .range(lower: translator.operand(lower), upper: translator.operand(upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.isWithin(try translator.meaning(of: range), element, Element.Output.self)
  }
}

extension ExpressionTranslator {
  /// Returns the two comparisons of a range test, which the planner joins.
  ///
  /// - Parameter type: of the element, whose `<` is the order.
  fileprivate func isWithin(
    _ range: ExpressionMeaning, _ element: any PredicateExpression, _ type: Any.Type
  ) throws(QueryError) -> ExpressionMeaning {
    guard case .range(let lower, let upper, let isClosed) = range else {
      throw .unsupportedExpression("a range without two bounds")
    }
    let element = try operand(element)
    guard let ranks = _Ranks(ofAny: type) else {
      return .predicate(Between(element, ListNode([lower, upper]), isClosed: isClosed))
    }
    return .predicate(
      Conjunction(
        ranks.compared(element, .greaterOrEqual, lower),
        ranks.compared(element, isClosed ? .lessOrEqual : .less, upper)))
  }
}
