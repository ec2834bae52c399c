// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataRecord
import StrataStore

/// A stage of a migration while it runs: the objects as the former model has them, by name, and a
/// context with the objects as the new model has them.
///
/// An object has the same ID in both. Its properties that both models have are as they were; those
/// that the stage converts have no value yet.
///
/// ## Isolation
/// It is valid during the stage's closure, on the thread that calls it.
public final class Migration {
  /// The objects of the new model. `forEach` saves and resets it.
  public let context: ManagedObjectContext
  private let stage: String
  private let former: ReadView
  private let progress: (@Sendable (MigrationProgress) -> Void)?
  private let watch: BatchWatch

  init(
    _ stage: String, _ store: TransactionStore, model: ManagedObjectModel, from former: ReadView,
    progress: (@Sendable (MigrationProgress) -> Void)?, _ watch: BatchWatch
  ) {
    context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(store: store, model: model))
    context.transactionAuthor = "migration"
    context.name = stage
    (self.stage, self.former) = (stage, former)
    (self.progress, self.watch) = (progress, watch)
  }

  /// Calls `body` with each object of an entity of the former model, and of its subentities, in the
  /// order in which they were inserted. After every `batchSize` objects the context is saved and
  /// reset: one batch is in memory, and objects of earlier batches must not be used any more.
  ///
  /// - Parameters:
  ///   - entity: the name of an entity of the former model.
  ///   - batchSize: objects, at least 1.
  /// - Throws: `ContextError.unknownEntity`; `CancellationError`; the errors of `body` and of
  ///   saving. The whole stage then fails.
  public func forEach(
    _ entity: String, batchSize: Int = 1_000, _ body: (StoredObject) throws -> Void
  ) throws {
    precondition(batchSize > 0, "A batch has at least one object.")
    let family = try self.family(of: entity)
    let objectCount = try count(of: family)
    var completedCount = 0
    for number in family {
      var keys: [ObjectKey] = []
      try former.snapshot.scanKeys(of: number) { key in
        keys.append(key)
        return .more
      }
      for key in keys {
        guard let object = try object(of: key) else { continue }
        try body(object)
        completedCount += 1
        if completedCount.isMultiple(of: batchSize) {
          try endBatch()
          tell(completedCount, objectCount)
        }
      }
    }
    try endBatch()
    tell(completedCount, objectCount)
  }

  /// How many objects an entity of the former model has, with its subentities.
  ///
  /// - Throws: `ContextError.unknownEntity`.
  public func count(of entity: String) throws -> Int { try count(of: family(of: entity)) }

  /// The object as the former model has it; nil if there was none before the stage.
  ///
  /// - Throws: `StoreError`.
  public func storedObject(with id: ObjectID) throws -> StoredObject? {
    guard id.store == former.schema.store else { return nil }
    return try object(of: id.key)
  }

  /// Saves the context, if it has changes.
  ///
  /// - Throws: as `ManagedObjectContext.save()`, and `CancellationError`.
  public func save() throws {
    try watch.check()
    if context.hasChanges { try context.save() }
  }

  private func endBatch() throws {
    try save()
    context.reset()
  }

  private func tell(_ completedCount: Int, _ objectCount: Int) {
    progress?(
      MigrationProgress(stage: stage, completedCount: completedCount, objectCount: objectCount))
  }

  private func object(of key: ObjectKey) throws -> StoredObject? {
    try StoredObject(key, in: former)
  }

  private func family(of entity: String) throws(ContextError) -> [EntityNumber] {
    guard let found = former.schema.entities.first(where: { $0.description.name == entity }) else {
      throw .unknownEntity(entity)
    }
    return found.family
  }

  private func count(of family: [EntityNumber]) throws -> Int {
    try family.reduce(0) { $0 + (try former.snapshot.count(of: $1)) }
  }
}

@available(*, unavailable)
extension Migration: Sendable {}
