// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataQuery
import StrataRecord

// The results of fetches, whether or not an instrument observes them.

extension ObjectFetcher {
  /// The objects that match `request`, in its order.
  func objects<T: ManagedObject>(
    of request: FetchRequest<T>, _ observed: ObservedFetch? = nil
  ) throws -> [T] {
    let (plan, view, isMasked) = try prepare(request)
    observed?.plan = plan
    guard request.includesPropertyValues, !isMasked else {
      let keys = try plan.fetchKeys(in: view)
      if request.includesPropertyValues { try load(keys) }
      try finish(request, keys)
      return keys.compactMap { loader.instance(of: $0) as? T }
    }
    let maker = ObjectMaker(loader, expecting: try plan.expectedCount(in: view))
    if request.shouldRefreshRefetchedObjects || registry.observed != nil
      || !schema.hooks.isDisjoint(with: .loading)
    {
      // The program's observers may change the view.
      let rows = try plan.fetch(in: view)
      if request.shouldRefreshRefetchedObjects { try refetch(rows.map(\.key)) }
      for row in rows { maker.take(row.key, row.record) }
    } else {
      try plan.fetch(in: view, to: maker)
    }
    let objects = maker.objects
    if !request.prefetchedPaths.isEmpty { try prefetch(request, of: objects.map(\.key)) }
    guard plan.family.allSatisfy({ registry.binding(of: $0)?.type is T.Type }) else {
      return objects.compactMap { $0 as? T }
    }
    // All are of T: a plan finds objects of its family, and those of an entity are of its class. To
    // cast them one by one costs more than to read them.
    return objects.unchecked(of: T.self)
  }

  /// How many objects match `request`.
  func count<T: ManagedObject>(
    _ request: FetchRequest<T>, _ observed: ObservedFetch? = nil
  ) throws -> Int {
    let (plan, view, _) = try prepare(request)
    observed?.plan = plan
    return try plan.count(in: view)
  }

  /// The name of the requested entity as the model has it; the class, or "unknown" for a name from
  /// outside, if the model does not have it.
  func entityName<T: ManagedObject>(of request: FetchRequest<T>) -> String {
    guard let name = request.entityName else {
      return schema.entity(for: T.self)?.description.name ?? String(describing: T.self)
    }
    return schema.entity(named: name) == nil ? "unknown" : name
  }
}
