// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord

/// Fetches the objects of one context: plans requests, and gives the views that they are carried
/// out in.
///
/// ## Isolation
/// The context's.
final class ObjectFetcher: ContextPart {
  private let saving: SaveSession
  let reader: ContextReader
  let loader: ObjectLoader
  private let plans = PlanCache()
  var relationships: RelationshipEditor { saving.deletion.relationships }

  init(_ saving: SaveSession) {
    self.saving = saving
    reader = saving.reader
    loader = saving.loader
  }

  /// The keys of the objects that match `request`, in its order.
  func fetchKeys<T: ManagedObject>(
    _ request: FetchRequest<T>, _ observed: ObservedFetch? = nil
  ) throws -> [ObjectKey] {
    let (plan, view, _) = try prepare(request)
    observed?.plan = plan
    return try plan.fetchKeys(in: view)
  }

  func prepare<T: ManagedObject>(
    _ request: FetchRequest<T>
  ) throws -> (plan: QueryPlan, view: ReadView, isMasked: Bool) {
    let plan = try plans.plan(request, entity: schema(of: request), schema: schema)
    _ = try relationshipPaths(of: request)
    let (view, isMasked) = try view(for: request)
    return (plan, view, isMasked)
  }

  /// The view and the reading of a fetch, and whether some of its records differ from the turn's
  /// view.
  private func view<T>(for request: FetchRequest<T>) throws -> (view: ReadView, isMasked: Bool) {
    beginFetching()
    let view = try reader.currentViewIncludingEdits()
    return try queriedView(request.includesPendingChanges ? view : view.over(Overlay()))
  }

  /// Applies a request's options to the fetched objects: refreshing, loading and prefetching.
  func finish<T: ManagedObject>(_ request: FetchRequest<T>, _ keys: [ObjectKey]) throws {
    if request.shouldRefreshRefetchedObjects { try refetch(keys) }
    if !request.prefetchedPaths.isEmpty { try prefetch(request, of: keys) }
  }

  /// Updates the registered objects among them to the turn's view, keeping unsaved changes.
  func refetch(_ keys: [ObjectKey]) throws {
    let registered = keys.filter { registry.cache.registeredObject(for: $0)?.isFault == false }
    if registered.isEmpty { return }
    let view = try reader.currentViewIncludingEdits()
    work.noteMerge(
      try saving.merger.merge(
        GatheredEvents(suspects: registered), in: view, isChecked: true))
  }

  /// Begins a new turn in a context that has no other end of turn: before a fetch, so that it reads
  /// the newest state.
  ///
  /// During a save, a deletion or a life cycle method the turn continues. During a `withSavepoint {
  /// }`, and while observers are notified, only the view is taken again.
  func beginFetching() {
    guard reporter.confinement == .confined, saving.preparation == nil, work.awaking.isEmpty,
      saving.deletion.deleting.isEmpty,
      !registry.isFaulting
    else { return }
    if work.savepoints.isEmpty, !reporter.isEndingTurn {
      return saving.publisher.processPendingChanges()
    }
    work.encodeEdits()
    work.view = nil
  }

  /// A view that stays as it is, whatever is done in the context.
  func viewToKeep<T>(for request: FetchRequest<T>) throws -> ReadView {
    let (view, isMasked) = try view(for: request)
    return isMasked || !request.includesPendingChanges ? view : view.over(work.working)
  }

  func plan<T: ManagedObject, Row>(
    _ request: RowRequest<T, Row>, hasWindowOfObjects: Bool = false
  ) throws -> RowPlan {
    let entity = try schema(of: request.objects)
    return try RowPlan(
      request.untyped(of: entity.description), entity: entity, schema: schema,
      hasWindowOfObjects: hasWindowOfObjects)
  }

  /// The entity that a request names, or whose objects are of class `T`.
  ///
  /// - Throws: an earlier error of a getter, which cannot throw; `ContextError.unknownEntity`.
  func schema<T: ManagedObject>(of request: FetchRequest<T>) throws -> EntitySchema {
    guard let name = request.entityName else { return try schema(of: T.self) }
    try reporter.throwDeferredError()
    guard let entity = schema.entity(named: name) else { throw ContextError.unknownEntity(name) }
    return entity
  }

  /// The entity whose objects are of class `type`.
  ///
  /// - Throws: an earlier error of a getter, which cannot throw; `ContextError.unknownEntity`.
  func schema<T: ManagedObject>(of type: T.Type) throws -> EntitySchema {
    try reporter.throwDeferredError()
    guard type != ManagedObject.self, let entity = schema.entity(for: type) else {
      throw ContextError.unknownEntity(String(describing: type))
    }
    return entity
  }
}
