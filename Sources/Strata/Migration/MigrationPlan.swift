// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
import StrataStore

/// The stages that migrate a store from earlier models of a program to the present one. Each stage
/// has code that converts data where a migration cannot be inferred. Core Data:
/// `NSStagedMigrationManager`.
///
/// ```swift
/// let plan = MigrationPlan(
///   MigrationStage("split names", from: V1.model, to: V2.model, converting: ["Zone.area"]) {
///     migration in
///     try migration.forEach("Zone") { former in
///       let zone = try migration.context.existingObject(V2.Zone.self, with: former.objectID)
///       zone.area = try former.value("name", as: String.self)?.prefix { $0 != "/" }.description
///     }
///   })
/// let container = try PersistentContainer(at: url, model: V2.model, migratingWith: plan)
/// ```
///
/// A store that has the model with which a stage begins goes through that stage and the stages
/// after it. A store of another earlier model is first migrated to the model of a stage, if this
/// migration can be inferred. The changes after the last stage are inferred. A store of the present
/// model is opened without migration.
///
/// Each stage is one transaction. Other processes see the store before the stage or after it. A
/// process that has opened the store with the former model then gets `StoreError.modelChanged`. If
/// a stage fails or its process ends, the store is as it was before the stage, and the next opening
/// begins the stage again.
public struct MigrationPlan: Sendable {
  let stages: [MigrationStage]

  /// - Parameter stages: the stages, in the order of their models.
  public init(_ stages: MigrationStage...) { self.stages = stages }

  /// - Parameter stages: the stages, in the order of their models.
  public init(_ stages: [MigrationStage]) { self.stages = stages }
}

// MARK: - Running

extension MigrationPlan {
  /// Migrates a copy of a store, and leaves the store as it is. It can try a plan. A test with a
  /// store that an earlier version of the program has made uses `GoldenStore` of `StrataTesting`.
  ///
  /// - Parameters:
  ///   - url: the URL of a store, which may be in use.
  ///   - model: the model that the copy is taken to.
  ///   - copy: the URL of the migrated copy. No file may exist there.
  ///   - removing: the entities, and the properties as `Entity.property`, whose data may be deleted
  ///     after the last stage.
  ///   - maximumByteCount: the size in bytes that the copy may grow to; nil for 32 GiB. Pass the
  ///     limit that the program opens the store with: then a migration that does not fit throws
  ///     `StoreError.storeFull` here, too.
  /// - Throws: as opening a store with the plan; `StoreError.fileExists`. After an error, no new
  ///   file is left at `copy`.
  @discardableResult
  public func migrateCopy(
    ofStoreAt url: URL, to model: ManagedObjectModel, at copy: URL, removing: Set<String> = [],
    maximumByteCount: Int? = nil
  ) throws -> MigrationReport {
    // Names are refused before anything is copied.
    _ = try (stages.map { try $0.prepared(nil, BatchWatch()) }, DataRemoval(parsing: removing))
    try StoreFiles.copy(url.storePath, to: copy.storePath)
    do {
      let report = try run(
        onStoreAt: copy, to: model, removing: removing, durability: .none,
        maximumByteCount: maximumByteCount)
      // Opening infers the remaining changes, or throws.
      _ = try PersistentStoreCoordinator(
        at: copy, model: model, removing: removing, durability: .none,
        maximumByteCount: maximumByteCount)
      return report
    } catch {
      StoreFiles.removeIfPossible(copy.path)
      throw error
    }
  }

  /// Finds out whether a store can be migrated, how many objects change, and how long the migration
  /// takes. It migrates a copy of the store in the folder for temporary files, and removes the
  /// copy. The folder needs space for the whole store.
  ///
  /// - Parameters:
  ///   - url: the URL of a store, which may be in use.
  ///   - model: the model that the copy is taken to.
  ///   - removing: as in `migrateCopy`.
  ///   - maximumByteCount: as in `migrateCopy`.
  /// - Throws: as opening a store with the plan; an error of Foundation if the folder for temporary
  ///   files cannot be used.
  public func dryRun(
    onStoreAt url: URL, to model: ManagedObjectModel, removing: Set<String> = [],
    maximumByteCount: Int? = nil
  ) throws -> MigrationReport {
    let folder = try PrivateFolder()
    let copy = URL(fileURLWithPath: folder.path).appendingPathComponent("copy")
    return try migrateCopy(
      ofStoreAt: url, to: model, at: copy, removing: removing,
      maximumByteCount: maximumByteCount)
  }

  /// Runs the stages that the store has not been through. Without a file, it creates a store that
  /// needs no stage.
  func run(
    onStoreAt url: URL, to model: ManagedObjectModel, removing: Set<String>,
    durability: StoreDurability, maximumByteCount: Int? = nil,
    busyTimeout: Duration? = PersistentStoreCoordinator.defaultBusyTimeout,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil,
    _ watch: BatchWatch = BatchWatch()
  ) throws -> MigrationReport {
    let stages = try self.stages.map { try $0.prepared(progress, watch) }
    let removing = try DataRemoval(parsing: removing)
    let path = try url.storePath
    if stages.isEmpty { return MigrationReport(stages: []) }
    guard FileManager.default.fileExists(atPath: path) else {
      try StoreMigration.createStore(
        at: path, model: model, after: stages.map { ($0.from, $0.to) })
      return MigrationReport(stages: [])
    }
    let migration = try StoreMigration(
      at: path, stages, removing: removing, durability: durability,
      byteCountMax: maximumByteCount, busyTimeout: busyTimeout, watch)
    return MigrationReport(
      stages: try migration.run(to: model).map { outcome in
        MigrationReport.Stage(
          name: stages[outcome.index].name, insertedCount: outcome.counts.inserted,
          updatedCount: outcome.counts.updated, deletedCount: outcome.counts.deleted,
          duration: outcome.duration)
      })
  }
}
