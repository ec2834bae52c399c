// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension FetchPredicate {
  /// The same condition as a `#Predicate` of Foundation's.
  ///
  /// ```swift
  /// let smallest = 1_000_000
  /// let large = #Predicate<City> { $0.population > smallest && $0.country?.name == "Iran" }
  /// let cities = try context.fetch(FetchRequest(large))
  /// ```
  ///
  /// It is for predicates that exist already, or that are shared with code that knows nothing of
  /// Strata. `City.where { … }` says more, and the compiler checks it in a fraction of the time: a
  /// `#Predicate` of six comparisons with literals takes it ten seconds, less if the literals are
  /// captured from constants.
  ///
  /// Wherever Foundation's own evaluation of the predicate gives an answer, a fetch gives the same.
  /// Where that fails or traps, there is no value here: beyond a forced unwrap of nil, a forced cast,
  /// an integer that is too large, a division by zero.
  ///
  /// | | |
  /// | --- | --- |
  /// | an object | `$0.country?.objectID == id`: objects cannot be captured |
  /// | to-many relationships | `contains { … }`, `allSatisfy { … }`, `filter { … }`, `count`, `isEmpty` |
  /// | texts | `==`, `<`, `contains`, `starts(with:)`, `isEmpty`, `count`, `contains(/regex/)`, `localizedStandardContains`, `caseInsensitiveCompare` |
  /// | lists and ranges | `names.contains($0.name)`, `(1...10).contains($0.rank)` |
  /// | values | `+ - * / %`, `??`, `if let`, `? :`, `as?`, `is`, members of `Codable` attributes |
  ///
  /// `localizedStandardContains` and `caseInsensitiveCompare` look past case (the former past accents
  /// too) by Unicode's tables, without a locale: as `[cd]` and `[c]`, see `TextOptions`. On Linux the
  /// macro takes them because this module has what it expands them to.
  ///
  /// - Throws: `QueryError.unsupportedExpression`, naming what no fetch can answer: subscripts, the
  ///   first or the least element of a collection, a constant that is no attribute's value.
  /// - Complexity: O(expressions).
  public init<Root>(_ predicate: Predicate<Root>) throws(QueryError) {
    let translator = ExpressionTranslator(object: predicate.variable.key)
    self.init(try translator.predicate(predicate.expression))
  }
}

extension PropertyPath {
  /// What an `#Expression` of Foundation's calculates, to compare and calculate with.
  ///
  /// - Throws: as `FetchPredicate.init(_:)` of a `#Predicate`.
  public init(_ expression: Expression<Root, Leaf>) throws(QueryError) {
    let translator = ExpressionTranslator(object: expression.variable.key)
    self.init(calculated: try translator.operand(expression.expression))
  }
}
