// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataStore

/// A batch delete request with the batch that the store executes for it.
struct PreparedBatchDelete: Sendable {
  private let coordinator: PersistentStoreCoordinator
  private let request: BatchDeleteRequest
  private let batch: StoreBatch

  /// - Parameter caller: nil if no context executes the request.
  /// - Throws: `ContextError.unknownEntity`, `.foreignObjectID`; `QueryError`.
  init(
    _ request: BatchDeleteRequest, in coordinator: PersistentStoreCoordinator,
    for caller: BatchCaller? = nil, progress: (@Sendable (BatchProgress) -> Void)? = nil
  ) throws {
    self.coordinator = coordinator
    self.request = request
    let schema = coordinator.schema
    var report: (@Sendable (Int, Int) -> Void)?
    if let progress {
      report = { progress(BatchProgress(completedCount: $0, objectCount: $1, token: nil)) }
    }
    let watch = BatchWatch(report: report)
    var consequences: (@Sendable () -> any DeletionConsequences)?
    if !schema.derivation.isEmpty || !schema.validation.isEmpty {
      consequences = { RuleConsequences(schema) }
    }
    let deletion = BatchDeletion(
      try Self.subject(of: request, schema, watch), consequences: consequences)
    batch = StoreBatch(
      .delete(deletion), reportsKeys: caller != nil || request.returnsObjectIDs, watch: watch,
      author: request.transactionAuthor ?? caller?.author, contextName: caller?.contextName)
  }

  private static func subject(
    of request: BatchDeleteRequest, _ schema: Schema, _ watch: BatchWatch
  ) throws -> BatchDeletion.Subject {
    switch request.subject {
    case .objects(let ids):
      if let other = ids.first(where: { !schema.store.has($0) }) {
        throw ContextError.foreignObjectID(other)
      }
      return .found { _ in ids.map(\.key) }
    case .matching(let request, let type, let name):
      guard let entity = schema.entity(forClass: type) else {
        throw ContextError.unknownEntity(name)
      }
      let plan = try QueryPlan(request, entity: entity, schema: schema)
      if request.predicate == nil && plan.limit == nil && plan.offset == 0 {
        return .all(plan.family)
      }
      return .found { snapshot in
        let watched = WatchedSnapshot(snapshot) { _ in try watch.check() }
        let view = ReadView(of: watched, schema)
        let keys = try plan.fetchKeys(in: view)
        if let impostor = try plan.impostor(among: keys, in: view) {
          throw StoreError.damagedIndex(
            naming: impostor, "an index says that the object matches the request, and it does not")
        }
        return keys
      }
    }
  }

  /// Executes the batch in the store, and waits.
  func perform() throws -> BatchOutcome {
    let store = coordinator.store
    do {
      return try StoreWriter(store: store).wait { try store.execute(batch) }
    } catch {
      throw converted(error)
    }
  }

  /// Executes the batch in the store, suspending the task.
  func perform() async throws -> BatchOutcome {
    do { return try await coordinator.store.execute(batch) } catch { throw converted(error) }
  }

  func result(_ outcome: BatchOutcome) -> BatchDeleteResult {
    let store = coordinator.schema.store
    let ids = (outcome.keys?.deleted ?? []).lazy.map { ObjectID(store: store, key: $0) }
    return BatchDeleteResult(
      deletedCount: outcome.count, objectIDs: request.returnsObjectIDs ? Array(ids) : nil)
  }

  /// Converts a `BatchDenial` to `ContextError.deleteDenied`, and returns any other error
  /// unchanged.
  private func converted(_ error: any Error) -> any Error {
    guard let denial = error as? BatchDenial else { return error }
    let schema = coordinator.schema
    return ContextError.deleteDenied(
      denial.denied.compactMap { key, slot in
        guard let entity = schema.entity(key.entity)?.description else { return nil }
        return ContextError.DeniedDelete(
          objectID: ObjectID(store: schema.store, key: key),
          entity: entity.name, property: entity.properties[slot].name)
      })
  }
}
