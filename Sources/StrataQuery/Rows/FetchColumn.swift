// SPDX-License-Identifier: Apache-2.0

/// A column of rows as dictionaries: a name, and a property or a calculation. Core Data:
/// `NSPropertyDescription`, `NSExpressionDescription`.
public struct FetchColumn: Sendable, ExpressibleByStringLiteral {
  /// The key of the column in the dictionaries.
  public let name: String
  let node: any OperandNode

  private init(_ name: String, _ node: any OperandNode) {
    self.name = name
    self.node = TreeExtent.limited(node)
  }

  /// Creates a column from a property, or from a property of a related object, `"country.name"`.
  /// `"SELF"` is the object's ID. The key path is also the column's name.
  public init(_ keyPath: String) {
    let steps = keyPath == "SELF" ? [] : PathStep.names(keyPath)
    self.init(keyPath, PathNode(PathReference(steps: steps)))
  }

  public init(stringLiteral keyPath: String) { self.init(keyPath) }

  /// Creates a column from a format string: `"population * 2"`, `"cities.@count"`.
  ///
  /// - Parameters:
  ///   - name: the column's name.
  ///   - format: a value in the grammar of `FetchPredicate(format:)`.
  ///   - arguments: one argument for each placeholder.
  /// - Throws: `PredicateFormatError` with the position of the mistake.
  public init(
    _ name: String, format: String, _ arguments: Any?...
  ) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self.init(name, try parser.parseValue())
  }

  /// How well a `.fullText` attribute, or one of a related object, `"article.text"`, fits a query
  /// for words: see `PropertyPath.relevance(to:)`.
  ///
  /// - Parameter name: the column's name.
  public static func relevance(
    of keyPath: String, to words: String, as name: String = "relevance"
  ) -> FetchColumn {
    FetchColumn(
      name,
      RelevanceNode(of: PathNode(PathReference(steps: PathStep.names(keyPath))), to: words))
  }

  /// Returns the column with another name.
  public func named(_ name: String) -> FetchColumn { FetchColumn(name, node) }

  // MARK: Aggregates

  /// The number of objects in a group.
  public static func count(as name: String = "count") -> FetchColumn {
    FetchColumn(
      name, RowAggregateNode(function: .count, element: PathNode(PathReference(steps: []))))
  }

  /// The number of objects in a group that have a value; with `distinct`, the number of different
  /// values.
  public static func count(
    _ column: FetchColumn, distinct: Bool = false, as name: String? = nil
  ) -> FetchColumn {
    aggregate(distinct ? .distinctCount : .count, column, name)
  }

  /// The sum of a number over a group, without nil; 0 if no object has a value.
  public static func sum(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.sum, column, name)
  }

  /// The average of a number over a group, without nil; nil if no object has a value.
  public static func average(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.average, column, name)
  }

  /// The least value in a group, without nil; nil if no object has a value.
  public static func min(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.min, column, name)
  }

  /// The greatest value in a group, without nil; nil if no object has a value.
  public static func max(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.max, column, name)
  }

  /// - Parameter name: the column's name; if nil, the function and the column: "sum.population".
  private static func aggregate(
    _ function: RowAggregateNode.Function, _ column: FetchColumn, _ name: String?
  ) -> FetchColumn {
    FetchColumn(
      name ?? "\(function.rawValue).\(column.name)",
      RowAggregateNode(function: function, element: column.node))
  }
}
