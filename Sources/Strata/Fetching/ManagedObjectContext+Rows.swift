// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
import StrataModel
public import StrataQuery
import StrataRecord

// Rows of plain values: columns, groups and distinct rows, without making objects.

extension ManagedObjectContext {
  /// The rows of `request`, in its order. In rows as dictionaries, a column without a value is
  /// `.null`. Core Data: `fetch(_:)` with the dictionary result type.
  ///
  /// - Throws: `QueryError` for a request that cannot be answered; `StoreError` if reading fails.
  @inlinable
  public func fetch<T: _Fetchable, Row>(_ request: RowRequest<T, Row>) throws -> [Row] {
    var rows: [Row] = []
    try forEachRow(request) { rows.append($0) }
    return rows
  }

  /// Calls `body` with each row of `request`, in its order, without making an array of them.
  ///
  /// A row is freed when the body returns, so a result of any size takes the memory of a few rows.
  /// More is kept if rows are grouped or distinct (every group, every distinct row) and if no index
  /// gives the order of a request without a limit: then the sort keys of all rows are sorted first.
  ///
  /// The rows are those of the moment of the call. The body may use the context and change it;
  /// neither its changes nor later saves of others appear in the following rows. The snapshot that
  /// they come from lives until the call returns, even if the body saves.
  ///
  /// - Throws: as `fetch(_:)`; the errors of `body`, which end the walk.
  @inlinable
  public func forEachRow<T: _Fetchable, Row>(
    _ request: RowRequest<T, Row>, _ body: (Row) throws -> Void
  ) throws {
    try walk(request) { values in
      try body(request.decode(values))
      return .more
    }
  }

  /// Calls `body` with the rows of `request`, in its order, until it returns false: as
  /// `forEachRow(_:_:)`. Later rows are not read.
  ///
  /// - Throws: as `fetch(_:)`; the errors of `body`, which end the walk.
  @inlinable
  public func visitRows<T: _Fetchable, Row>(
    _ request: RowRequest<T, Row>, while body: (Row) throws -> Bool
  ) throws {
    try walk(request) { try body(request.decode($0)) ? .more : .stop }
  }

  /// Shows the columns of each row. Their use is compiled in the program's module.
  @usableFromInline
  func walk<T: _Fetchable, Row>(
    _ request: RowRequest<T, Row>, hasWindowOfObjects: Bool = false,
    _ body: (RowValues) throws -> ScanStep
  ) throws {
    guard let instrument = coordinator.instrument else {
      let plan = try fetcher.plan(request, hasWindowOfObjects: hasWindowOfObjects)
      return try plan.fetch(in: try fetcher.viewToKeep(for: request.objects), body)
    }
    try fetcher.observing(
      .rows, ofEntityNamed: fetcher.entityName(of: request.objects), by: instrument
    ) { observed in
      let plan = try fetcher.plan(request, hasWindowOfObjects: hasWindowOfObjects)
      observed.plan = plan.objects
      try plan.fetch(in: try fetcher.viewToKeep(for: request.objects)) { values in
        observed.rowCount += 1
        return try body(values)
      }
    }
  }
}
