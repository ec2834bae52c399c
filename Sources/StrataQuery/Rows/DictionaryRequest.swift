// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The same as `RowRequest` for code that knows properties by name alone, as a tool does: rows are
/// dictionaries. Core Data: `NSFetchRequest` with the dictionary result type.
///
/// ```swift
/// var request = DictionaryRequest(City.all)
/// request.propertiesToFetch = ["country.name", .count(), .sum("population", as: "total")]
/// request.propertiesToGroupBy = ["country.name"]
/// request.havingPredicate = try FetchPredicate(format: "$total > 1000000")
/// ```
///
/// Names are held against the entity when the request is carried out.
public struct DictionaryRequest<Root>: Sendable {
  /// Which objects; its order and window are those of the rows.
  public var objects: FetchRequest<Root>
  /// The columns; none for all attributes and to-one relationships that are stored in the objects'
  /// records: not `.external` attributes, which no row can have.
  public var propertiesToFetch: [FetchColumn] = []
  /// What makes a group of rows: properties, or those of related objects.
  public var propertiesToGroupBy: [FetchColumn] = []
  /// Which groups; its variables, `$total`, name columns. Nil for all.
  public var havingPredicate: FetchPredicate?
  /// Whether of rows with the same values the first alone is wanted.
  public var returnsDistinctResults = false

  /// The values of all stored properties of `objects`.
  public init(_ objects: FetchRequest<Root>) { self.objects = objects }

  /// What the planner takes.
  ///
  /// - Parameter entity: what the request is about.
  /// - Throws: `duplicateColumn`.
  package func untyped(of entity: EntityDescription) throws(QueryError) -> UntypedRowRequest {
    let columns =
      propertiesToFetch.isEmpty
      ? entity.properties.filter(\.isColumn).map { FetchColumn($0.name) } : propertiesToFetch
    var named: Substitution = [:]
    for column in columns where named.updateValue(column.node, forKey: column.name) != nil {
      throw .duplicateColumn(column.name)
    }
    return UntypedRowRequest(
      objects: objects.untyped, columns: columns.map { ($0.name, $0.node) },
      groupKeys: propertiesToGroupBy.map(\.node),
      having: havingPredicate.map { BoundPredicate(predicate: $0.node, values: named) },
      isDistinct: returnsDistinctResults)
  }
}

extension PropertyDescription {
  /// Whether each object of the entity has one value of it in its record.
  fileprivate var isColumn: Bool {
    switch self {
    case .attribute(let attribute): !attribute.isTransient && !attribute.isExternal
    case .relationship(let relationship): relationship.kind == .toOne
    }
  }
}

/// A column of a `DictionaryRequest`: what it is called, and how it is worked out.
/// Core Data: `NSPropertyDescription`, `NSExpressionDescription`.
public struct FetchColumn: Sendable, ExpressibleByStringLiteral {
  /// What it is called in the dictionaries.
  public let name: String
  let node: any OperandNode

  private init(_ name: String, _ node: any OperandNode) {
    self.name = name
    self.node = node
  }

  /// A property, or one of a related object, `"country.name"`; `"SELF"` for the object's ID. The
  /// column is called so too.
  public init(_ keyPath: String) {
    let steps = keyPath == "SELF" ? [] : PathStep.names(keyPath)
    self.init(keyPath, PathNode(PathReference(steps: steps)))
  }

  public init(stringLiteral keyPath: String) { self.init(keyPath) }

  /// What a format string calculates: `"population * 2"`, `"cities.@count"`.
  ///
  /// - Parameters:
  ///   - name: what it is called.
  ///   - format: a value in the grammar of `FetchPredicate(format:)`.
  ///   - arguments: one for each placeholder.
  /// - Throws: `PredicateFormatError`, with the place of the mistake.
  public init(
    _ name: String, format: String, _ arguments: Any?...
  ) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self.init(name, try parser.parseValue())
  }

  /// The same column by another name.
  public func named(_ name: String) -> FetchColumn { FetchColumn(name, node) }

  // MARK: Aggregates

  /// How many objects there are in a group.
  public static func count(as name: String = "count") -> FetchColumn {
    FetchColumn(name, RowAggregateNode(.count, of: PathNode(PathReference(steps: []))))
  }

  /// How many objects of a group have a value; with `distinct`, how many different ones they have.
  public static func count(
    _ column: FetchColumn, distinct: Bool = false, as name: String? = nil
  ) -> FetchColumn {
    aggregate(distinct ? .distinctCount : .count, column, name)
  }

  /// The sum of a number; of nothing it is 0.
  public static func sum(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.sum, column, name)
  }

  /// The average of a number; of nothing there is none.
  public static func average(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.average, column, name)
  }

  /// The least value; of nothing there is none.
  public static func min(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.min, column, name)
  }

  /// The greatest value; of nothing there is none.
  public static func max(_ column: FetchColumn, as name: String? = nil) -> FetchColumn {
    aggregate(.max, column, name)
  }

  /// - Parameter name: "sum.population" and the like, if nil.
  private static func aggregate(
    _ function: RowAggregateNode.Function, _ column: FetchColumn, _ name: String?
  ) -> FetchColumn {
    FetchColumn(
      name ?? "\(function.rawValue).\(column.name)", RowAggregateNode(function, of: column.node))
  }
}
