// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery
import StrataRecord
import StrataStore

// Fetches see the context's own unsaved changes, its ancestors' published changes, and the store.

extension ManagedObjectContext {
  /// The objects that match `request`, in its order. Objects that are registered already keep their
  /// values, unless the request refreshes them; the others are returned with loaded values, unless
  /// the request says otherwise. Core Data: `fetch(_:)`.
  ///
  /// - Throws: `QueryError` for an invalid request; `StoreError` if reading fails.
  /// - Complexity: O(results + entries skipped for the offset + pending matches) in the order of an
  ///   index; O(objects found by indexes + pending matches) if indexes answer the predicate; else
  ///   O(objects of the entity). `explain(_:for:)` reports which.
  public func fetch<T: _Fetchable>(_ request: FetchRequest<T>) throws -> [T] {
    guard let instrument = coordinator.instrument else { return try fetcher.objects(of: request) }
    return try fetcher.observing(
      .objects, ofEntityNamed: fetcher.entityName(of: request), by: instrument
    ) { observed in
      let objects = try loader.countingReads { try fetcher.objects(of: request, observed) }
      observed.rowCount = objects.count
      return objects
    }
  }

  /// The first object that matches `request`, in its order; nil if there is none.
  ///
  /// - Throws: as `fetch(_:)`.
  /// - Complexity: as `fetch(_:)` with `limit(1)`.
  public func first<T: _Fetchable>(_ request: FetchRequest<T>) throws -> T? {
    if request.limit == 0 { return nil }
    return try fetch(request.limit(1)).first
  }

  /// The IDs of the objects that match `request`, in its order, without loading the objects.
  /// Core Data: `NSManagedObjectIDResultType`.
  ///
  /// - Throws: as `fetch(_:)`.
  public func fetchIDs<T: _Fetchable>(_ request: FetchRequest<T>) throws -> [ObjectID] {
    guard let instrument = coordinator.instrument else {
      return try fetcher.fetchKeys(request).map { ObjectID(store: schema.store, key: $0) }
    }
    return try fetcher.observing(
      .ids, ofEntityNamed: fetcher.entityName(of: request), by: instrument
    ) { observed in
      let keys = try fetcher.fetchKeys(request, observed)
      observed.rowCount = keys.count
      return keys.map { ObjectID(store: schema.store, key: $0) }
    }
  }
}

extension ManagedObjectContext {
  /// How many objects match `request`, its limit and offset counted in.
  /// Core Data: `count(for:)`.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count<T: _Fetchable>(_ request: FetchRequest<T>) throws -> Int {
    guard let instrument = coordinator.instrument else { return try fetcher.count(request) }
    return try fetcher.observing(
      .count, ofEntityNamed: fetcher.entityName(of: request), by: instrument
    ) { observed in
      observed.rowCount = try fetcher.count(request, observed)
      return observed.rowCount
    }
  }

  /// Executes `request` and reports how: the indexes that were used, the conditions that were
  /// evaluated for each object, and the number of index entries and records that were read. The
  /// result itself is discarded; no object is made.
  ///
  /// - Parameters:
  ///   - request: the request to execute.
  ///   - answer: the kind of result: an index that answers only `count(_:)` may be of no use for
  ///     objects.
  /// - Throws: as `fetch(_:)`.
  public func explain<T: _Fetchable>(
    _ request: FetchRequest<T>, for answer: QueryExplanation.Answer = .objects
  ) throws -> QueryExplanation {
    let (plan, view, _) = try fetcher.prepare(request)
    return try plan.explanation(of: answer, in: view)
  }

  /// Executes `request` and reports how the objects were found that the rows are computed from: as
  /// `explain(_:for:)` does. "values only" says that the rows were computed from the values in an
  /// index, without records.
  ///
  /// - Throws: as `fetch(_:)`.
  public func explain<T: _Fetchable, Row>(
    _ request: RowRequest<T, Row>
  ) throws -> QueryExplanation {
    let plan = try fetcher.plan(request)
    return try plan.explanation(in: fetcher.viewToKeep(for: request.objects))
  }
}
