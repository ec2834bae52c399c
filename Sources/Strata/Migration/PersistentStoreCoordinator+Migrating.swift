// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
public import StrataStore

extension PersistentStoreCoordinator {
  /// Opens the store at `url`, or creates it, and migrates it if it has an earlier model.
  ///
  /// The store is opened for writing.
  ///
  /// - Important: It blocks the thread as long as the migration takes. In async code use
  ///   `PersistentContainer.open`, which can be cancelled.
  /// - Parameters:
  ///   - url: the URL of a file; its folder must exist.
  ///   - model: the model of the program.
  ///   - plan: the stages from earlier models.
  ///   - removing: the names of entities, and of properties as `Entity.property`, whose data may be
  ///     deleted after the last stage.
  ///   - durability: the failures that a finished save survives.
  ///   - maximumByteCount: the size in bytes that the file may grow to, during the migration too;
  ///     nil for 32 GiB. See the initializer without a plan.
  ///   - busyTimeout: how long the migration, and saves later, wait for another process; nil for
  ///     ever.
  ///   - progress: called after each batch of a stage, on a thread of the store; it must be short.
  /// - Throws: as the initializer without a plan; `StoreError.laterModel` if the store has a later
  ///   model of the plan; `StoreError.valuesMissing`; the errors of a stage's code. After an error
  ///   of a stage, the store is as it was before that stage.
  public convenience init(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    maximumByteCount: Int? = nil, busyTimeout: Duration? = defaultBusyTimeout,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) throws {
    _ = try plan.run(
      onStoreAt: url, to: model, removing: removing, durability: durability,
      maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, progress: progress)
    try self.init(
      at: url, model: model, removing: removing, durability: durability,
      maximumByteCount: maximumByteCount, busyTimeout: busyTimeout)
  }
}

extension PersistentContainer {
  /// Opens the store at `url`, or creates it, and migrates it if it has an earlier model.
  ///
  /// The store is opened for writing.
  ///
  /// - Important: It blocks the thread as long as the migration takes. In async code use `open`,
  ///   which can be cancelled.
  /// - Parameters:
  ///   - url: the URL of a file; its folder must exist.
  ///   - model: the model of the program.
  ///   - plan: the stages from earlier models.
  ///   - removing: the names of entities, and of properties as `Entity.property`, whose data may be
  ///     deleted after the last stage.
  ///   - durability: the failures that a finished save survives.
  ///   - maximumByteCount: the size in bytes that the file may grow to, during the migration too;
  ///     nil for 32 GiB. See the initializer without a plan.
  ///   - busyTimeout: how long the migration, and saves later, wait for another process; nil for
  ///     ever.
  ///   - autosave: when the root is saved to the disk by itself.
  ///   - progress: called after each batch of a stage, on a thread of the store; it must be short.
  /// - Throws: as `PersistentStoreCoordinator`'s initializer with a plan.
  public convenience init(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    maximumByteCount: Int? = nil,
    busyTimeout: Duration? = PersistentStoreCoordinator.defaultBusyTimeout,
    autosave: Autosave = .manual,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) throws {
    _ = try plan.run(
      onStoreAt: url, to: model, removing: removing, durability: durability,
      maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, progress: progress)
    try self.init(
      at: url, model: model, removing: removing, durability: durability,
      maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, autosave: autosave)
  }

  /// Opens the store at `url`, or creates it, and migrates it off the caller's thread if it has an
  /// earlier model. When the task is cancelled, the migration ends after the current batch of
  /// objects, and the store is as it was before the current stage.
  ///
  /// The store is opened for writing.
  ///
  /// - Throws: as the blocking initializer, and `CancellationError`.
  public static func open(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    maximumByteCount: Int? = nil,
    busyTimeout: Duration? = PersistentStoreCoordinator.defaultBusyTimeout,
    autosave: Autosave = .manual,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> PersistentContainer {
    let watch = BatchWatch()
    return try await LongWork.run(watch, isolation: isolation) {
      _ = try plan.run(
        onStoreAt: url, to: model, removing: removing, durability: durability,
        maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, progress: progress, watch)
      return try PersistentContainer(
        at: url, model: model, removing: removing, durability: durability,
        maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, autosave: autosave)
    }
  }
}
