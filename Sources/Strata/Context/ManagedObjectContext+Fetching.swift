// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery
import StrataRecord

// Fetches see what the context itself has unsaved, what its ancestors have published, and the store.

extension ManagedObjectContext {
  /// The objects that match `request`, in its order. Objects that are registered already keep their
  /// values; the others come with theirs loaded. Core Data: `fetch(_:)`.
  ///
  /// - Throws: `QueryError` for a request that cannot be answered; `StoreError` if reading fails.
  public func fetch<T: Entity>(_ request: FetchRequest<T>) throws -> [T] {
    let (plan, view) = try prepare(request)
    return try plan.fetch(in: view).compactMap { row in
      guard let record = row.record else { return instance(of: row.key) as? T }
      return instance(of: row.key, holding: record) as? T
    }
  }

  /// The IDs of the objects that match `request`, in its order, without loading the objects.
  /// Core Data: `NSManagedObjectIDResultType`.
  ///
  /// - Throws: as `fetch(_:)`.
  public func fetchIDs<T: Entity>(_ request: FetchRequest<T>) throws -> [ObjectID] {
    let (plan, view) = try prepare(request)
    return try plan.fetchKeys(in: view).map { ObjectID(store: schema.store, key: $0) }
  }

  /// How many objects match `request`, its limit and offset counted in.
  /// Core Data: `count(for:)`.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count<T: Entity>(for request: FetchRequest<T>) throws -> Int {
    let (plan, view) = try prepare(request)
    return try plan.count(in: view)
  }

  private func prepare<T: Entity>(
    _ request: FetchRequest<T>
  ) throws -> (plan: QueryPlan, view: ReadView) {
    try throwDeferredError()
    guard let entity = schema.entity(for: T.self) else {
      throw ContextError.unknownEntity(String(describing: T.self))
    }
    let plan = try QueryPlan(request, entity: entity, schema: schema)
    return (plan, try currentViewIncludingEdits())
  }
}
