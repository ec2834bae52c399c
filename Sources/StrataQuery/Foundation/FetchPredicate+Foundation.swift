// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension FetchPredicate {
  /// Creates a predicate from a `#Predicate` of Foundation.
  ///
  /// ```swift
  /// let smallest = 1_000_000
  /// let large = #Predicate<City> { $0.population > smallest && $0.country?.name == "Iran" }
  /// let cities = try context.fetch(FetchRequest(large))
  /// ```
  ///
  /// Use this initializer for predicates that exist already, or that are shared with code without
  /// Strata. `City.where { … }` supports more operators, and the compiler checks it in a fraction
  /// of the time: a `#Predicate` of six comparisons with literals takes ten seconds to compile,
  /// less if the literals are captured from constants.
  ///
  /// Where Foundation's evaluation of the predicate has a result, a fetch has the same result.
  /// Where that evaluation fails or traps, the value is nil here: after a forced unwrap of nil, a
  /// forced cast, an integer overflow, or a division by zero.
  ///
  /// | | |
  /// | --- | --- |
  /// | an object | `$0.country?.objectID == id`: objects cannot be captured |
  /// | to-many | `contains { … }`, `allSatisfy { … }`, `filter { … }`, `count`, `isEmpty` |
  /// | texts | `==`, `<`, `contains`, `starts(with:)`, `isEmpty`, `count`, `contains(/regex/)` |
  /// | texts by Unicode's tables | `localizedStandardContains`, `caseInsensitiveCompare` |
  /// | lists and ranges | `names.contains($0.name)`, `(1...10).contains($0.rank)` |
  /// | values | `+ - * / %`, `??`, `if let`, `? :`, `as?`, `is`, members of `Codable` attributes |
  ///
  /// `localizedStandardContains` and `caseInsensitiveCompare` ignore case, and the former also
  /// accents. They use Unicode's tables without a locale, as `[cd]` and `[c]`: see `TextOptions`.
  /// On Linux, this module provides the functions to which the macro expands them.
  ///
  /// - Throws: `QueryError.unsupportedExpression` with the part that a fetch cannot evaluate:
  ///   subscripts, the first or the least element of a collection, a constant that is not an
  ///   attribute value.
  /// - Complexity: O(expressions).
  public init<Root>(_ predicate: Predicate<Root>) throws(QueryError) {
    let translator = ExpressionTranslator(object: predicate.variable.key)
    self.init(try translator.predicate(predicate.expression))
  }
}

extension PropertyPath {
  /// Creates the path of a value that an `#Expression` of Foundation calculates. The path can be
  /// compared and calculated with.
  ///
  /// - Throws: `QueryError.unsupportedExpression` with the part that a fetch cannot evaluate.
  public init(_ expression: Expression<Root, Leaf>) throws(QueryError) {
    let translator = ExpressionTranslator(object: expression.variable.key)
    self.init(calculated: try translator.operand(expression.expression))
  }
}
