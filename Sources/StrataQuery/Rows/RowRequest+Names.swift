// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

// Rows as dictionaries, for code that knows properties only by name, such as a tool. Core Data:
// `NSFetchRequest` with the dictionary result type.
//
// Names are checked against the entity when the request is executed.

extension FetchRequest {
  /// Returns a request for rows as dictionaries of named columns. Core Data: `propertiesToFetch`.
  ///
  /// ```swift
  /// let largest = try City.all
  ///   .select("country.name", .count(), .sum("population", as: "total"))
  ///   .grouped(by: "country.name")
  ///   .having(FetchPredicate(format: "$total > 1000000"))
  ///   .sorted(by: "total", order: .reverse)
  /// for row in try context.fetch(largest) { print(row["country.name"], row["total"]) }
  /// ```
  public func select(_ columns: FetchColumn...) -> RowRequest<Root, [String: PropertyValue]> {
    select(columns)
  }

  /// Returns a request for rows as dictionaries of named columns. Core Data: `propertiesToFetch`.
  public func select(_ columns: [FetchColumn]) -> RowRequest<Root, [String: PropertyValue]> {
    RowRequest(self, named: columns)
  }

  /// Returns a request for rows as dictionaries of all attributes and to-one relationships that are
  /// stored in the objects' records. Transient and `.external` attributes are not.
  public func selectAll() -> RowRequest<Root, [String: PropertyValue]> {
    RowRequest(self, named: nil)
  }
}

extension RowRequest where Row == [String: PropertyValue] {
  /// Groups the rows by properties of the object or of related objects: one row for each
  /// combination of their values. Core Data: `propertiesToGroupBy`.
  public func grouped(by properties: FetchColumn...) -> RowRequest { grouped(by: properties) }

  /// Groups the rows by properties of the object or of related objects: one row for each
  /// combination of their values. Core Data: `propertiesToGroupBy`.
  public func grouped(by properties: [FetchColumn]) -> RowRequest {
    with { $0.groupKeys += properties.map(\.node) }
  }

  /// Adds a condition on groups, in which variables name columns: `$total > 1000000`. Core Data:
  /// `havingPredicate`.
  public func having(_ predicate: FetchPredicate) -> RowRequest {
    with { $0.addCondition(predicate) }
  }

  /// Adds a sort key for a column by its name, or for another property of the objects, less
  /// significant than the keys before. Rows with equal keys are in the order of their objects.
  public func sorted(by column: FetchColumn, order: SortOrder = .forward) -> RowRequest {
    with {
      let node = $0.column(named: column.name) ?? column.node
      $0.objects.sortKeys.append(SortKey(operand: node, order: order))
    }
  }
}
