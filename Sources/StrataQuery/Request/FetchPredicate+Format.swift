// SPDX-License-Identifier: Apache-2.0
import StrataModel

// Predicates as text, for programs that come from Core Data or build predicates at run time.

extension FetchPredicate {
  /// Parses a format string in the grammar of `NSPredicate`.
  ///
  /// ```swift
  /// try FetchPredicate(
  ///   format: "ANY cities.population > %@ AND name BEGINSWITH[cd] $prefix", 1_000)
  /// ```
  ///
  /// | | |
  /// | --- | --- |
  /// | comparison | `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>` `BETWEEN {1, 9}` `IN {1, 2}` |
  /// | text | `BEGINSWITH` `ENDSWITH` `CONTAINS` `LIKE` `MATCHES` `CONTAINSWORDS` |
  /// | options of texts | `[c]` `[d]` `[cd]` after an operator of texts or a comparison |
  /// | logic | `AND` `&&` `OR` `\|\|` `NOT` `!` `TRUEPREDICATE` `FALSEPREDICATE` |
  /// | to-many | `ANY` (`SOME`) `ALL` `NONE` before a comparison |
  /// | aggregates | `cities.@count`, `cities.@sum.population`, `@min` `@max` `@avg` |
  /// | subqueries | `SUBQUERY(cities, $x, $x.population > 5).@count` |
  /// | values | numbers, `"texts"`, `YES` `NO` `TRUE` `FALSE` `NIL` `NULL`, `SELF`, `{lists}` |
  /// | arithmetic | `+ - * / **` |
  /// | arguments | `%@` any value, `%K` a key path, `%d` `%f` and related specifiers a number |
  /// | variables | `$name`, replaced by `withSubstitutionVariables(_:)` |
  ///
  /// Keywords may be in lower case. A property that is named like a keyword is written `#any`.
  /// Property names are resolved when a request with the predicate is planned. The request then
  /// throws `QueryError` for a name that the entity does not have.
  ///
  /// - Parameters:
  ///   - format: the string. In quotation marks, a backslash begins `\\` `\"` `\'` `\n` `\r` `\t`
  ///     `\0` and `\u0041`.
  ///   - arguments: one argument for each placeholder: an attribute value, an enum with such a raw
  ///     value, an `ObjectID`, an object, an array or a set of these, or nil.
  /// - Throws: `PredicateFormatError` with the position of the mistake.
  /// - Complexity: O(length).
  public init(format: String, _ arguments: Any?...) throws(PredicateFormatError) {
    try self.init(format: format, argumentArray: arguments)
  }

  /// Parses a format string in the grammar of `NSPredicate`, with the arguments in an array. The
  /// grammar is described at `init(format:_:)`.
  ///
  /// - Parameters:
  ///   - format: the string.
  ///   - arguments: one argument for each placeholder.
  /// - Throws: `PredicateFormatError` with the position of the mistake.
  /// - Complexity: O(length).
  public init(format: String, argumentArray arguments: [Any?]) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self.init(try parser.parse())
  }

  /// Returns the predicate with values for its variables. Variables without a value here remain
  /// variables and can get values later. Names that are not variables of the predicate are ignored.
  ///
  /// - Parameter variables: values by name without `$`. Each value is one that `init(format:_:)`
  ///   accepts as an argument.
  /// - Throws: `QueryError.unsupportedValue` if a value has a type that no property has.
  public func withSubstitutionVariables(
    _ variables: [String: Any?]
  ) throws(QueryError) -> FetchPredicate {
    var values: Substitution = [:]
    for (name, value) in variables {
      guard let operand = FormatParser.operand(value) else {
        throw .unsupportedValue(type: value.map { "\(type(of: $0))" } ?? "nil")
      }
      values[name] = operand
    }
    return FetchPredicate(BoundPredicate(node, values: values))
  }
}
