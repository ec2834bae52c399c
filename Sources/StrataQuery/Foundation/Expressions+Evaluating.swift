// SPDX-License-Identifier: Apache-2.0
import Foundation

// `expression.evaluate($0)`: an expression inside another.

extension PredicateExpressions.ExpressionEvaluate {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    guard let constant = expression as? any ConstantExpression,
      let inner = constant.constant as? any InnerExpression
    else { throw .unsupportedExpression("an expression that is not a constant") }
    var scope = translator
    for (variable, argument) in zip(inner.variables, arguments) {
      scope = scope.binding(variable, to: try translator.meaning(of: argument))
    }
    return try scope.meaning(of: inner.tree)
  }

  /// The arguments for the inner expression's variables.
  private var arguments: [any PredicateExpression] {
    var arguments: [any PredicateExpression] = []
    repeat arguments.append(each input)
    return arguments
  }
}

/// A constant with an erased type.
private protocol ConstantExpression {
  var constant: Any { get }
}

extension PredicateExpressions.Value: ConstantExpression {
  fileprivate var constant: Any { value }
}

/// An `#Expression` with an erased type.
private protocol InnerExpression {
  var variables: [PredicateExpressions.VariableID] { get }
  var tree: any PredicateExpression { get }
}

extension Expression: InnerExpression {
  fileprivate var variables: [PredicateExpressions.VariableID] {
    var variables: [PredicateExpressions.VariableID] = []
    repeat variables.append((each variable).key)
    return variables
  }

  fileprivate var tree: any PredicateExpression { expression }
}
