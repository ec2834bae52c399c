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

// MARK: - The kinds that have a translation

// Their translations are in `Expressions+Logic.swift` and the files beside it. The conformances are
// declared here: nothing refers to a conformance that is found at run time, and a linker takes only
// those files of an archive that something refers to, as `meaning(of:)` in this one.

extension PredicateExpressions.Conjunction: TranslatableExpression {}
extension PredicateExpressions.Disjunction: TranslatableExpression {}
extension PredicateExpressions.Negation: TranslatableExpression {}
extension PredicateExpressions.Conditional: TranslatableExpression {}
extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {}
extension PredicateExpressions.NilCoalesce: TranslatableExpression {}
extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {}

extension PredicateExpressions.Equal: TranslatableExpression {}
extension PredicateExpressions.NotEqual: TranslatableExpression {}
extension PredicateExpressions.Comparison: TranslatableExpression {}
extension PredicateExpressions.Arithmetic: TranslatableExpression {}
extension PredicateExpressions.UnaryMinus: TranslatableExpression {}
extension PredicateExpressions.IntDivision: TranslatableExpression {}
extension PredicateExpressions.FloatDivision: TranslatableExpression {}
extension PredicateExpressions.IntRemainder: TranslatableExpression {}

extension PredicateExpressions.Variable: TranslatableExpression {}
extension PredicateExpressions.Value: TranslatableExpression {}
extension PredicateExpressions.NilLiteral: TranslatableExpression {}
extension PredicateExpressions.KeyPath: TranslatableExpression {}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {}
extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {}
extension PredicateExpressions.StringContainsRegex: TranslatableExpression {}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {}
extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {}
extension PredicateExpressions.Filter: TranslatableExpression {}
extension PredicateExpressions.SequenceContains: TranslatableExpression {}
extension PredicateExpressions.Range: TranslatableExpression {}
extension PredicateExpressions.ClosedRange: TranslatableExpression {}
extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {}

extension PredicateExpressions.TypeCheck: TranslatableExpression {}
extension PredicateExpressions.ConditionalCast: TranslatableExpression {}
extension PredicateExpressions.ForceCast: TranslatableExpression {}

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {}
