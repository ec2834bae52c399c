// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataPrimitives
import StrataRecord
import StrataStore

/// A running stage of a migration. It gives access to the objects of the former model, whose
/// properties are read by name, and has a context with the objects of the new model.
///
/// An object has the same ID in both models. Properties that both models have keep their values.
/// Properties that the stage converts have no value until the stage's code sets one.
///
/// ## Isolation
/// It is valid during the stage's closure, on the thread that calls it. A use of its context on
/// another thread stops the program.
public final class Migration {
  /// A context with the objects of the new model. `forEach` saves and resets it.
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

  /// Calls `body` with each object of an entity of the former model and of its subentities, entity
  /// by entity, in the order of their IDs, roughly the order of creation. It saves and resets the
  /// context after every `batchSize` objects: one batch is in memory, and the context's objects of
  /// earlier batches must not be used any more.
  ///
  /// - Parameters:
  ///   - entity: the name of an entity of the former model.
  ///   - batchSize: the number of objects in a batch.
  ///   - body: converts the data of one object.
  /// - Precondition: `batchSize` is 1 or more.
  /// - Throws: `ContextError.unknownEntity`; `CancellationError`; the errors of `body` and of
  ///   saving. The whole stage then fails.
  public func forEach(
    _ entity: String, batchSize: Int = 1_000, _ body: (StoredObject) throws -> Void
  ) throws {
    require(
      batchSize > 0, "Migration.forEach takes a batchSize of 1 object or more, not \(batchSize).")
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

  /// How many objects an entity of the former model has, including its subentities.
  ///
  /// - Throws: `ContextError.unknownEntity`.
  public func count(of entity: String) throws -> Int { try count(of: family(of: entity)) }

  /// The object with an ID in its state before the stage; nil if it did not exist then.
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
