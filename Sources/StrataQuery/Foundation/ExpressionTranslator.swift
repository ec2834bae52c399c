// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Walks the tree of a `#Predicate` or an `#Expression` and builds ours.
///
/// Each kind of Foundation's expressions says for itself what it means, by conforming to
/// `TranslatableExpression`, whatever its operands are; so it is known which one has no meaning here.
struct ExpressionTranslator {
  /// What the variables in scope stand for: `$0` of the predicate, and of the closures inside.
  private var variables: [PredicateExpressions.VariableID: ExpressionMeaning] = [:]

  /// - Parameter variable: the object that the predicate is about.
  init(object variable: PredicateExpressions.VariableID) {
    variables[variable] = .path(PathReference(steps: []), guards: [])
  }

  /// The translator for what stands within the closure that `variable` belongs to.
  func binding(
    _ variable: PredicateExpressions.VariableID, to meaning: ExpressionMeaning
  ) -> ExpressionTranslator {
    var inner = self
    inner.variables[variable] = meaning
    return inner
  }

  /// - Throws: `unsupportedExpression`, if it is a variable of another predicate.
  func meaning(
    ofVariable variable: PredicateExpressions.VariableID
  ) throws(QueryError) -> ExpressionMeaning {
    guard let meaning = variables[variable] else {
      throw .unsupportedExpression("a variable of another predicate")
    }
    return meaning
  }

  /// - Throws: `unsupportedExpression` for what has no meaning here, naming it.
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

  /// The expression's kind without those of its operands: "CollectionIndexSubscript".
  static func name(of expression: any PredicateExpression) -> String {
    String("\(type(of: expression))".prefix { $0 != "<" })
  }
}

/// An expression of Foundation's that predicates of a store can have.
protocol TranslatableExpression {
  /// What it stands for.
  ///
  /// - Throws: `QueryError.unsupportedExpression`, if that is nothing that a store can answer.
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning
}
