// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

/// Which columns are wanted of which objects, grouped or not: rows of plain values instead of objects.
/// Core Data: a fetch request with `propertiesToFetch` and the dictionary result type.
///
/// ```swift
/// try context.fetch(City.all.select(\.name, \.population))                  // [(String, Int)]
///
/// let byCountry = City.where { $0.population > 0 }
///   .select { ($0.country.name.orNil, $0.rowCount(), $0.population.sum()) }    // (String?, Int, Int)
///   .grouped { $0.country.name }
///   .having { $0.rowCount() > 1 }
/// for (name, count, sum) in try context.fetch(byCountry) { … }
///
/// var total = 0
/// try context.forEachRow(of: City.all.select(\.population)) { total += $0 }
/// ```
///
/// No object is made, and rows may be sent anywhere. Like objects, they show pending changes of the
/// context and its ancestors exactly as if they were saved.
///
/// | | rows | order, offset and limit |
/// | --- | --- | --- |
/// | without aggregates | one for each object | of the objects |
/// | `distinct()` | those that differ, the first of each | of the rows |
/// | with an aggregate, or `grouped` | one for each group; one of all objects without `grouped` | of the rows; the order by what is grouped by, else by the first object of each group |
///
/// Outside of aggregates, the columns of grouped rows are properties that they are grouped by.
///
/// `Row` is the type of a row: a tuple of the columns' types, or the type of the only column. A column
/// without a value in some row has to be of an optional type: `orNil` makes it one.
public struct RowRequest<Root, Row>: Sendable {
  /// Which objects; its order and window are those of the rows.
  public var objects: FetchRequest<Root>
  private let columns: [any OperandNode]
  private var groupKeys: [any OperandNode] = []
  private var condition: FetchPredicate?
  private var isDistinct = false
  /// Makes a row of its columns.
  @usableFromInline package let decode: @Sendable (RowValues) throws -> Row

  @usableFromInline
  init(
    _ objects: FetchRequest<Root>, _ columns: [RowColumn],
    _ decode: @escaping @Sendable (RowValues) throws -> Row
  ) {
    self.objects = objects
    self.columns = columns.map(\.node)
    self.decode = decode
  }

  /// What the planner takes.
  package var untyped: UntypedRowRequest {
    UntypedRowRequest(
      objects: objects.untyped, columns: columns.map { (nil, $0) }, groupKeys: groupKeys,
      having: condition?.node, isDistinct: isDistinct)
  }
}

// MARK: - Columns

/// A column of rows, whatever its type.
@usableFromInline
struct RowColumn: Sendable {
  let node: any OperandNode

  /// The property or calculation that `path` is.
  @usableFromInline
  init<Root, Leaf>(_ path: PropertyPath<Root, Leaf>) { node = path.operand }
}

extension PropertyPath where Root == Leaf {
  /// The object itself.
  @usableFromInline
  static var object: PropertyPath { PropertyPath() }
}

// Inlinable: what decodes a row is to be compiled for the types of its columns.

// One column and several are told apart by the closure's result.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension FetchRequest {
  /// Rows with the values of one property of each object.
  @inlinable
  public func select<V: ColumnValue>(
    _ column: KeyPath<Root, V> & Sendable
  ) -> RowRequest<Root, V> {
    select { $0[dynamicMember: column] }
  }

  /// Rows with the values of several properties of each object.
  @inlinable
  public func select<each V: ColumnValue>(
    _ columns: repeat KeyPath<Root, each V> & Sendable
  ) -> RowRequest<Root, (repeat each V)> {
    let object = PropertyPath<Root, Root>.object
    return select { _ in (repeat object[dynamicMember: each columns]) }
  }

  /// Rows with one column: a property, one of a related object, a calculation, an aggregate of all
  /// objects.
  @inlinable
  public func select<V: ColumnValue>(
    _ column: (PropertyPath<Root, Root>) -> PropertyPath<Root, V>
  ) -> RowRequest<Root, V> {
    RowRequest(self, [RowColumn(column(.object))]) { try $0.take(V.self) }
  }

  /// Rows with several columns: properties, those of related objects, calculations, aggregates.
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

// MARK: - Groups

extension RowRequest {
  /// One row for each value of the properties. Core Data: `propertiesToGroupBy`.
  public func grouped(by keyPaths: (PartialKeyPath<Root> & Sendable)...) -> RowRequest {
    grouped(by: keyPaths.map { PathNode(PathReference([$0])) })
  }

  /// One row for each value of a property, which may be one of a related object.
  public func grouped<Key>(
    _ key: (PropertyPath<Root, Root>) -> PropertyPath<Root, Key>
  ) -> RowRequest {
    grouped(by: [key(PropertyPath()).operand])
  }

  /// Of the groups those that satisfy `condition`, which is about aggregates and properties that rows
  /// are grouped by. Core Data: `havingPredicate`.
  public func having(_ condition: (PropertyPath<Root, Root>) -> FetchPredicate) -> RowRequest {
    var request = self
    let added = condition(PropertyPath())
    request.condition = request.condition.map { $0 && added } ?? added
    return request
  }

  /// Of rows with the same values the first alone. Core Data: `returnsDistinctResults`.
  public func distinct() -> RowRequest {
    var request = self
    request.isDistinct = true
    return request
  }

  private func grouped(by keys: [any OperandNode]) -> RowRequest {
    var request = self
    request.groupKeys += keys
    return request
  }
}
