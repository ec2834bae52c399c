// SPDX-License-Identifier: Apache-2.0
import StrataModel

// Predicates as text, for programs that come from Core Data or put predicates together at run time.

extension FetchPredicate {
  /// A predicate from a format string, in the grammar of `NSPredicate`:
  ///
  /// ```swift
  /// try FetchPredicate(format: "ANY cities.population > %@ AND name BEGINSWITH[cd] $prefix", 1_000)
  /// ```
  ///
  /// | | |
  /// | --- | --- |
  /// | comparison | `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>` `BETWEEN {1, 9}` `IN {1, 2}` |
  /// | text | `BEGINSWITH` `ENDSWITH` `CONTAINS` `LIKE` `MATCHES`, these and comparisons with `[c]` `[d]` `[cd]` |
  /// | logic | `AND` `&&` `OR` `\|\|` `NOT` `!` `TRUEPREDICATE` `FALSEPREDICATE` |
  /// | to-many | `ANY` (`SOME`) `ALL` `NONE` before a comparison; `cities.@count`, `cities.@sum.population`, `@min` `@max` `@avg`; `SUBQUERY(cities, $x, $x.population > 5).@count` |
  /// | values | numbers, `"texts"`, `YES` `NO` `TRUE` `FALSE` `NIL` `NULL`, `SELF`, `{lists}`, `+ - * / **` |
  /// | arguments | `%@` any value, `%K` a key path, `%d` `%f` and their kin a number |
  /// | variables | `$name`, filled in by `withSubstitutionVariables(_:)` |
  ///
  /// Keywords may be in lower case. A property whose name is a keyword is written `#any`. Names are
  /// looked up when a request is made with the predicate, which throws `QueryError` for those that
  /// the entity does not have.
  ///
  /// - Parameters:
  ///   - format: the string. In quotation marks, a backslash begins `\\` `\"` `\'` `\n` `\r` `\t` `\0`
  ///     and `\u0041`.
  ///   - arguments: one for each placeholder: the value of an attribute, an enum with such a raw
  ///     value, an `ObjectID` or an object, an array or a set of these, or nil.
  /// - Throws: `PredicateFormatError`, with the place of the mistake.
  /// - Complexity: O(length).
  public init(format: String, _ arguments: Any?...) throws(PredicateFormatError) {
    try self.init(format: format, argumentArray: arguments)
  }

  /// A predicate from a format string and the arguments of its placeholders.
  ///
  /// - Throws: as `init(format:_:)`.
  public init(format: String, argumentArray arguments: [Any?]) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self.init(try parser.parse())
  }

  /// The predicate with values for its variables. Those that are not named stay, and can be given
  /// later; names that it does not have are ignored.
  ///
  /// - Parameter variables: values as the arguments of `init(format:_:)`, by name without `$`.
  /// - Throws: `QueryError.unsupportedValue`, if one is nothing that a property can be.
  public func withSubstitutionVariables(
    _ variables: [String: Any?]
  ) throws(QueryError) -> FetchPredicate {
    var values: Substitution = [:]
    for (name, value) in variables {
      guard let operand = FormatArguments.operand(value) else {
        throw .unsupportedValue(type: value.map { "\(type(of: $0))" } ?? "nil")
      }
      values[name] = operand
    }
    return FetchPredicate(BoundPredicate(predicate: node, values: values))
  }
}
