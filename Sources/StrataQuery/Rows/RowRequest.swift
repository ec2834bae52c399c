// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import StrataModel
public import StrataRecord

/// A request for rows of plain values instead of objects, grouped or not. Core Data: a fetch
/// request with `propertiesToFetch` and the dictionary result type.
///
/// ```swift
/// try context.fetch(City.all.select(\.name, \.population))  // [(String, Int)]
///
/// let byCountry = City.where { $0.population > 0 }
///   .select { ($0.country.name, $0.rowCount(), $0.population.sum()) }  // (String?, Int, Int)
///   .grouped { $0.country.name }
///   .having { $0.rowCount() > 1 }
///   .sorted(by: { $0.population.sum() }, order: .reverse)
/// for (name, count, sum) in try context.fetch(byCountry) { … }
///
/// var total = 0
/// try context.forEachRow(City.all.select(\.population)) { total += $0 }
/// ```
///
/// No object is created, and rows may be sent across isolation boundaries. Rows include pending
/// changes of the context and its ancestors, exactly as if they were saved.
///
/// | | rows | order, offset and limit |
/// | --- | --- | --- |
/// | without aggregates | one for each object | apply to the objects |
/// | `distinct()` | the first of each set of equal rows | apply to the rows |
/// | an aggregate, no `grouped` | one for all objects | apply to the row |
/// | `grouped` | one for each group | apply to the rows |
///
/// Grouped rows can be sorted by the properties that they are grouped by and by aggregates. Without
/// sort keys, groups are in the order of their first objects.
///
/// Outside of aggregates, the columns of grouped rows are properties that they are grouped by.
///
/// `Row` is the type of a row: a tuple of the columns' types, the type of the only column, or a
/// dictionary if columns are selected by name. A column that can be nil in a row must have an
/// optional type.
public struct RowRequest<Root, Row>: Sendable {
  /// The objects that the rows are computed from. The rows have their order and window.
  public var objects: FetchRequest<Root>
  /// The columns, with the names that the program has given them; nil for all stored properties.
  private let columns: [(name: String?, node: any OperandNode)]?
  var groupKeys: [any OperandNode] = []
  private var condition: FetchPredicate?
  private var isDistinct = false
  /// Creates a row from its columns.
  @usableFromInline package let decode: @Sendable (RowValues) throws -> Row

  @usableFromInline
  init(
    _ objects: FetchRequest<Root>, _ columns: [RowColumn],
    _ decode: @escaping @Sendable (RowValues) throws -> Row
  ) {
    self.objects = objects
    self.columns = columns.map { (nil, $0.node) }
    self.decode = decode
  }

  /// The request as the planner takes it.
  ///
  /// - Parameter entity: the entity of the objects.
  /// - Throws: `QueryError.duplicateColumn`.
  package func untyped(of entity: EntityDescription) throws(QueryError) -> UntypedRowRequest {
    let columns =
      columns ?? entity.properties.filter(\.isColumn).map { ($0.name, FetchColumn($0.name).node) }
    var named: Substitution = [:]
    for case (let name?, let node) in columns where named.updateValue(node, forKey: name) != nil {
      throw .duplicateColumn(name)
    }
    return UntypedRowRequest(
      objects: objects.untyped, columns: columns, groupKeys: groupKeys,
      having: condition.map {
        named.isEmpty ? $0.node : BoundPredicate($0.node, values: named)
      },
      isDistinct: isDistinct)
  }
}

extension RowRequest where Row == [String: PropertyValue] {
  /// - Parameter columns: nil for all stored properties.
  init(_ objects: FetchRequest<Root>, named columns: [FetchColumn]?) {
    self.objects = objects
    self.columns = columns?.map { ($0.name, $0.node) }
    decode = { row in
      Dictionary(zip(row.names, try row.all())) { first, _ in first }
    }
  }
}

extension PropertyDescription {
  /// Whether the record of each object has one value of the property.
  fileprivate var isColumn: Bool {
    switch self {
    case .attribute(let attribute): !attribute.isTransient && !attribute.isExternal
    case .relationship(let relationship): relationship.kind == .toOne
    }
  }
}

// MARK: - Columns

/// A column of rows with an erased type.
@usableFromInline
struct RowColumn: Sendable {
  let node: any OperandNode

  /// Creates a column from a property or a calculation.
  @usableFromInline
  init<Root, Leaf>(_ path: PropertyPath<Root, Leaf>) { node = path.operand }
}

extension PropertyPath where Root == Leaf {
  @usableFromInline
  static var object: PropertyPath { PropertyPath() }
}

// Inlinable, so that the code that decodes a row is compiled for the types of its columns.

// The closure's result selects the overload: for one column or for several.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension FetchRequest {
  /// Returns a request for the values of one property of each object.
  @inlinable
  public func select<V: ColumnValue>(
    _ column: KeyPath<Root, V> & Sendable
  ) -> RowRequest<Root, V> {
    select { $0[dynamicMember: column] }
  }

  /// Returns a request for the values of several properties of each object.
  @inlinable
  public func select<each V: ColumnValue>(
    _ columns: repeat KeyPath<Root, each V> & Sendable
  ) -> RowRequest<Root, (repeat each V)> {
    let object = PropertyPath<Root, Root>.object
    return select { _ in (repeat object[dynamicMember: each columns]) }
  }

  /// Returns a request for rows with one column: a property, a property of a related object, a
  /// calculation, or an aggregate of all objects.
  @inlinable
  public func select<V: ColumnValue>(
    _ column: (PropertyPath<Root, Root>) -> PropertyPath<Root, V>
  ) -> RowRequest<Root, V> {
    RowRequest(self, [RowColumn(column(.object))]) { try $0.take(V.self) }
  }

  /// Returns a request for rows with several columns: properties, properties of related objects,
  /// calculations, or aggregates.
  @inlinable
  public func select<each V: ColumnValue>(
    _ columns: (PropertyPath<Root, Root>) -> (repeat PropertyPath<Root, each V>)
  ) -> RowRequest<Root, (repeat each V)> {
    let paths = columns(.object)
    var all: [RowColumn] = []
    repeat all.append(RowColumn(each paths))
    return RowRequest(self, all) { row in (repeat try row.take((each V).self)) }
  }
}

// MARK: - Order

// The closure's result selects the overload: for a value or for an optional value.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension RowRequest {
  /// Adds a sort key: an aggregate, or a property that rows are grouped by. It is less significant
  /// than the keys before. nil comes before every value.
  ///
  /// Rows that are not grouped are sorted by any property or calculated value of their object.
  public func sorted<V: AttributeValue & Comparable>(
    by value: (PropertyPath<Root, Root>) -> PropertyPath<Root, V>, order: SortOrder = .forward
  ) -> RowRequest {
    with { $0.objects = $0.objects.sorted(by: value, order: order) }
  }

  /// Adds a sort key: an aggregate, or a property that rows are grouped by. It is less significant
  /// than the keys before. nil comes before every value.
  ///
  /// Rows that are not grouped are sorted by any property or calculated value of their object.
  public func sorted<V: AttributeValue & Comparable>(
    by value: (PropertyPath<Root, Root>) -> PropertyPath<Root, V?>, order: SortOrder = .forward
  ) -> RowRequest {
    with { $0.objects = $0.objects.sorted(by: value, order: order) }
  }
}

// MARK: - Groups

extension RowRequest {
  /// Groups the rows: one row for each combination of the properties' values. Core Data:
  /// `propertiesToGroupBy`.
  public func grouped(by keyPaths: (PartialKeyPath<Root> & Sendable)...) -> RowRequest {
    with { $0.groupKeys += keyPaths.map { PathNode(PathReference([$0])) } }
  }

  /// Groups the rows by one property of the object or of a related object: one row for each value.
  /// Core Data: `propertiesToGroupBy`.
  public func grouped<Key>(
    _ key: (PropertyPath<Root, Root>) -> PropertyPath<Root, Key>
  ) -> RowRequest {
    with { $0.groupKeys.append(key(PropertyPath()).operand) }
  }

  /// Adds a condition on groups. The condition uses aggregates and the properties that rows are
  /// grouped by. Core Data: `havingPredicate`.
  public func having(_ condition: (PropertyPath<Root, Root>) -> FetchPredicate) -> RowRequest {
    let added = condition(PropertyPath())
    return with { $0.addCondition(added) }
  }

  /// Removes equal rows: only the first of them remains. Core Data: `returnsDistinctResults`.
  public func distinct() -> RowRequest {
    with { $0.isDistinct = true }
  }

  /// Limits the result to at most `count` rows.
  ///
  /// - Precondition: `count` is 0 or more.
  public func limit(_ count: Int) -> RowRequest { with { $0.objects = $0.objects.limit(count) } }

  /// Skips the first `count` rows of the result.
  ///
  /// - Precondition: `count` is 0 or more.
  public func offset(_ count: Int) -> RowRequest { with { $0.objects = $0.objects.offset(count) } }

  mutating func addCondition(_ added: FetchPredicate) {
    condition = condition.map { $0 && added } ?? added
  }

  /// The column with a name that the program has given it; nil if there is none.
  func column(named name: String) -> (any OperandNode)? {
    columns?.first { $0.name == name }?.node
  }

  func with(_ change: (inout RowRequest) -> Void) -> RowRequest {
    var request = self
    change(&request)
    return request
  }
}
