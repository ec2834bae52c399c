// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
import StrataStore

/// The way from earlier models of a program to the present one, where it cannot be inferred: code
/// that converts the data, stage by stage. Core Data: `NSStagedMigrationManager`.
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
/// A store of the model that a stage begins with runs through that stage and those that follow; an
/// earlier one is first taken to it, if the way can be inferred. After the last stage, all that can
/// be inferred is. A store of the present model is opened at once.
///
/// Each stage is one transaction. Other processes see the store before it or after it, and get
/// `StoreError.modelChanged` after it. If a stage fails or its process ends, the store is as it was
/// before the stage, and the next opening begins the stage again.
public struct MigrationPlan: Sendable {
  let stages: [MigrationStage]

  /// - Parameter stages: in the order of the models.
  public init(_ stages: MigrationStage...) { self.stages = stages }

  /// - Parameter stages: in the order of the models.
  public init(_ stages: [MigrationStage]) { self.stages = stages }
}

/// One stage of a migration. Core Data: `NSCustomMigrationStage`.
public struct MigrationStage: Sendable {
  public let name: String
  let from: ManagedObjectModel
  let to: ManagedObjectModel
  let converting: Set<String>
  let removing: Set<String>
  let convert: @Sendable (Migration) throws -> Void

  /// - Parameters:
  ///   - name: for reports and errors.
  ///   - from: the model that the store has before the stage.
  ///   - to: the model that it has after it.
  ///   - converting: the properties of `to`, as `Entity.property`, whose values `convert` sets:
  ///     those that have another type, kind or destination than before, and attributes that must
  ///     have a value and have no default. Former values of another form go, and `convert` can read
  ///   them. - removing: the entities of `from`, and the properties as `Entity.property`, that `to`
  ///     does not have and whose data may be deleted. `convert` can read it.
  ///   - convert: converts the data. It runs on a thread of the store.
  public init(
    _ name: String, from: ManagedObjectModel, to: ManagedObjectModel,
    converting: Set<String> = [], removing: Set<String> = [],
    _ convert: @escaping @Sendable (Migration) throws -> Void
  ) {
    (self.name, self.from, self.to) = (name, from, to)
    (self.converting, self.removing, self.convert) = (converting, removing, convert)
  }
}

/// How far a migration has come.
public struct MigrationProgress: Sendable, Hashable {
  /// The name of the stage.
  public let stage: String
  /// How many objects the stage's `forEach` under way has passed.
  public let completedCount: Int
  /// How many it has to pass.
  public let objectCount: Int
}

/// The result of a migration.
public struct MigrationReport: Sendable, Hashable {
  public struct Stage: Sendable, Hashable {
    public let name: String
    /// How many objects were inserted. An object that was saved several times counts each time.
    public let insertedCount: Int
    /// How many objects were updated.
    public let updatedCount: Int
    /// How many objects were deleted.
    public let deletedCount: Int
    public let duration: Duration
  }

  /// The stages that were run; empty if none was needed.
  public let stages: [Stage]
}

// MARK: - Running

extension MigrationPlan {
  /// Migrates a copy of a store, and leaves the store as it is: to try a plan, or to test it with a
  /// store of an earlier version.
  ///
  /// - Parameters:
  ///   - url: of a store, which may be in use.
  ///   - copy: the URL of a file that does not exist; the migrated store.
  ///   - removing: as at opening.
  /// - Throws: as opening a store with the plan; `StoreError.fileExists`. There is no file at
  ///   `copy` then.
  @discardableResult
  public func migrateCopy(
    ofStoreAt url: URL, to model: ManagedObjectModel, at copy: URL, removing: Set<String> = []
  ) throws -> MigrationReport {
    try StoreFiles.copy(url.path, to: copy.path)
    do {
      let report = try run(onStoreAt: copy, to: model, removing: removing, durability: .none)
      // The rest can be inferred, or it fails here.
      _ = try PersistentStoreCoordinator(
        at: copy, model: model, removing: removing, durability: .none)
      return report
    } catch {
      for suffix in ["", "-lock"] {
        try? FileManager.default.removeItem(atPath: copy.path + suffix)
      }
      throw error
    }
  }

  /// Migrates a copy in the folder for temporary files, and removes it: finds out whether a store
  /// can be migrated, how many objects change, and how long it takes. It needs the space of the
  /// store.
  ///
  /// - Throws: as `migrateCopy(ofStoreAt:to:at:)`.
  public func dryRun(
    onStoreAt url: URL, to model: ManagedObjectModel, removing: Set<String> = []
  ) throws -> MigrationReport {
    let copy = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-dry-run-\(UUID().uuidString)")
    defer {
      for suffix in ["", "-lock"] {
        try? FileManager.default.removeItem(atPath: copy.path + suffix)
      }
    }
    return try migrateCopy(ofStoreAt: url, to: model, at: copy, removing: removing)
  }

  /// Runs the stages that are next.
  func run(
    onStoreAt url: URL, to model: ManagedObjectModel, removing: Set<String>,
    durability: StoreDurability, progress: (@Sendable (MigrationProgress) -> Void)? = nil,
    _ watch: BatchWatch = BatchWatch()
  ) throws -> MigrationReport {
    guard FileManager.default.fileExists(atPath: url.path), !stages.isEmpty else {
      return MigrationReport(stages: [])
    }
    let migration = try StoreMigration(
      at: url.path, stages.map { $0.prepared(progress, watch) }, removing: removing,
      durability: durability, watch)
    return MigrationReport(
      stages: try migration.run(to: model).map { outcome in
        MigrationReport.Stage(
          name: stages[outcome.index].name, insertedCount: outcome.counts.inserted,
          updatedCount: outcome.counts.updated, deletedCount: outcome.counts.deleted,
          duration: outcome.duration)
      })
  }
}

extension MigrationStage {
  /// The stage as the store runs it.
  fileprivate func prepared(
    _ progress: (@Sendable (MigrationProgress) -> Void)?, _ watch: BatchWatch
  ) -> StoreStage {
    StoreStage(
      from: from, to: to, removing: removing, converting: converting
    ) { [self] store, former in
      let migration = Migration(
        name, store, model: to, from: former, progress: progress, watch)
      try convert(migration)
      try migration.save()
    }
  }
}
