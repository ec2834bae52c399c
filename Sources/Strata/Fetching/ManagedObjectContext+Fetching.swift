// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataPrimitives
public import StrataQuery
import StrataRecord

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
    let (plan, view, isMasked) = try fetcher.prepare(request)
    guard request.includesPropertyValues, !isMasked else {
      let keys = try plan.fetchKeys(in: view)
      if request.includesPropertyValues { try fetcher.load(keys) }
      try fetcher.finish(request, keys)
      return keys.compactMap { loader.instance(of: $0) as? T }
    }
    let maker = ObjectMaker(loader, expecting: try plan.expectedCount(in: view))
    if request.shouldRefreshRefetchedObjects || registry.observed != nil
      || !schema.hooks.isDisjoint(with: .loading)
    {
      // The program's observers may change the view.
      let rows = try plan.fetch(in: view)
      if request.shouldRefreshRefetchedObjects { try fetcher.refetch(rows.map(\.key)) }
      for row in rows { maker.take(row.key, row.record) }
    } else {
      try plan.fetch(in: view, to: maker)
    }
    let objects = maker.objects
    if !request.prefetchedPaths.isEmpty { try fetcher.prefetch(request, of: objects.map(\.key)) }
    guard plan.family.allSatisfy({ registry.binding(of: $0)?.type is T.Type }) else {
      return objects.compactMap { $0 as? T }
    }
    // All are of T: a plan finds objects of its family, and those of an entity are of its class. To
    // cast them one by one costs more than to read them.
    return objects.unchecked(of: T.self)
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
    try fetcher.fetchKeys(request).map { ObjectID(store: schema.store, key: $0) }
  }
}

extension ManagedObjectContext {
  /// How many objects match `request`, its limit and offset counted in.
  /// Core Data: `count(for:)`.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count<T: _Fetchable>(_ request: FetchRequest<T>) throws -> Int {
    let (plan, view, _) = try fetcher.prepare(request)
    return try plan.count(in: view)
  }

  /// Executes `request` and reports how: the indexes that were used, the conditions that were
  /// evaluated for each object, and the number of index entries and records that were read. The
  /// result itself is discarded; no object is made.
  ///
  /// - Parameters:
  ///   - request: the request to execute.
  ///   - answer: the kind of result: an index that answers `count(_:)` alone may be of no use for
  ///     objects.
  /// - Throws: as `fetch(_:)`.
  public func explain<T: _Fetchable>(
    _ request: FetchRequest<T>, for answer: QueryExplanation.Answer = .objects
  ) throws -> QueryExplanation {
    let (plan, view, _) = try fetcher.prepare(request)
    return try plan.explanation(of: answer, in: view)
  }
}
