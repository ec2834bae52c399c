// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataQuery
import StrataRecord

// Fetches that take their time, beside a context instead of in it.

/// How far an asynchronous fetch has come. Core Data: `NSAsynchronousFetchResult.progress`.
public struct FetchProgress: Sendable, Hashable {
  /// The number of index entries and records that have been read, of the store and of unsaved
  /// changes.
  public let readCount: Int
  /// The number of stored objects of the requested entity, and of those that inherit from it: the
  /// reads of a fetch without a usable index. Core Data: `estimatedResultCount`.
  public let objectCount: Int
}

extension ContextParent {
  /// The IDs of the objects that match `request`, in its order, fetched off the caller's thread on
  /// a snapshot of the moment of the call. Core Data: `NSAsynchronousFetchRequest`.
  ///
  /// It sees the state that a new child context would see: of a queue or a layer the context's
  /// published state, including its unsaved changes up to the end of its last turn; of the
  /// coordinator the saved state. (A call on the main actor ends the main actor's turn first, so
  /// that it sees the view context's changes.) No context waits for it, and it waits for none.
  ///
  /// When the task is cancelled, the fetch ends within a few hundred rows.
  ///
  /// - Parameters:
  ///   - request: the objects to find, and their order.
  ///   - isolation: the caller's actor, which the default passes.
  ///   - progress: called now and then, on the fetch's thread, with the progress.
  /// - Throws: `QueryError` for an invalid request; `CancellationError`; `StoreError` if reading
  ///   fails.
  public func fetchIDs<T: Entity>(
    _ request: FetchRequest<T>, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (FetchProgress) -> Void)? = nil
  ) async throws -> [ObjectID] {
    if isolation === MainActor.shared { MainTurns.endAll() }
    return try await DetachedFetch(place: place, progress: progress).ids(request)
  }

  /// The rows of `request`, in its order, fetched as `fetchIDs(_:progress:)` fetches IDs.
  ///
  /// - Throws: as `fetchIDs(_:progress:)`.
  public func fetch<T: Entity, Row: Sendable>(
    _ request: RowRequest<T, Row>, isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (FetchProgress) -> Void)? = nil
  ) async throws -> [Row] {
    if isolation === MainActor.shared { MainTurns.endAll() }
    return try await DetachedFetch(place: place, progress: progress).rows(request)
  }
}

/// A fetch in a context of its own, which is gone when it ends.
private struct DetachedFetch: Sendable {
  let place: _ContextPlace
  let progress: (@Sendable (FetchProgress) -> Void)?

  @concurrent func ids<T: Entity>(_ request: FetchRequest<T>) async throws -> [ObjectID] {
    let context = try makeContext()
    let schema = context.schema
    let plan = try QueryPlan(request, entity: context.fetcher.schema(of: T.self), schema: schema)
    return try watching(context, plan.family) { view in
      try plan.fetchKeys(in: view).map { ObjectID(store: schema.store, key: $0) }
    }
  }

  @concurrent func rows<T: Entity, Row: Sendable>(
    _ request: RowRequest<T, Row>
  ) async throws -> [Row] {
    let context = try makeContext()
    let entity = try context.fetcher.schema(of: T.self)
    let plan = try RowPlan(
      request.untyped(of: entity.description), entity: entity, schema: context.schema)
    return try watching(context, entity.family) { view in
      var rows: [Row] = []
      try plan.fetch(in: view) { values in
        rows.append(try request.decode(values))
        return .more
      }
      return rows
    }
  }

  private func makeContext() throws -> ManagedObjectContext {
    try Task.checkCancellation()
    return ManagedObjectContext(place: place, confinement: .confined, sameIsolationParent: nil)
  }

  private func watching<Result>(
    _ context: ManagedObjectContext, _ family: [EntityNumber],
    _ body: (ReadView) throws -> Result
  ) throws -> Result {
    let view = try context.reader.currentView()
    var objectCount = 0
    for entity in family { objectCount += try view.snapshot.count(of: entity) }
    let report = { [progress, objectCount] (readCount: Int) in
      progress?(FetchProgress(readCount: readCount, objectCount: objectCount)) ?? ()
    }
    let snapshot = WatchedSnapshot(view.snapshot, report: report)
    let watched = try context.fetcher.queriedView(
      ReadView(
        own: Overlay(), inherited: view.layers.segments, snapshot: snapshot, schema: view.schema)
    ).view
    watched.watch = snapshot.noteRead
    let result = try body(watched)
    report(snapshot.readCount)
    return result
  }
}
