// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Translates the tree of a `#Predicate` or an `#Expression` into nodes.
///
/// Each kind of Foundation expression translates itself, by conforming to `TranslatableExpression`
/// whatever the types of its operands. An error can so name the kind that has no translation.
struct ExpressionTranslator {
  /// The meanings of the variables in scope: `$0` of the predicate and of the closures inside.
  private(set) var variables: [PredicateExpressions.VariableID: ExpressionMeaning] = [:]

  /// - Parameter variable: the object that the predicate is evaluated for.
  init(object variable: PredicateExpressions.VariableID) {
    variables[variable] = .path(PathReference(steps: []), guards: [])
  }

  /// Returns the translator for a closure with the parameter `variable`.
  func binding(
    _ variable: PredicateExpressions.VariableID, to meaning: ExpressionMeaning
  ) -> ExpressionTranslator {
    var inner = self
    inner.variables[variable] = meaning
    return inner
  }

  /// Returns the meaning of an expression.
  ///
  /// - Throws: `QueryError.unsupportedExpression` with the kind of an expression that has no
  ///   translation.
  func meaning(of expression: any PredicateExpression) throws(QueryError) -> ExpressionMeaning {
    guard let expression = expression as? any TranslatableExpression else {
      throw .unsupportedExpression(Self.name(of: expression))
    }
    return try expression.meaning(self)
  }

  func operand(_ expression: any PredicateExpression) throws(QueryError) -> any OperandNode {
    try meaning(of: expression).operand()
  }

  func predicate(_ expression: any PredicateExpression) throws(QueryError) -> any PredicateNode {
    try meaning(of: expression).predicate()
  }

  /// Returns the expression's kind without its operands: "CollectionIndexSubscript".
  static func name(of expression: any PredicateExpression) -> String {
    String("\(type(of: expression))".prefix { $0 != "<" })
  }
}

/// An expression of Foundation that has a translation.
protocol TranslatableExpression {
  /// Returns the translation of the expression.
  ///
  /// - Throws: `QueryError.unsupportedExpression` if a fetch cannot evaluate the expression.
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning
}
