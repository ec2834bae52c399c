// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
public import StrataStore

extension PersistentStoreCoordinator {
  /// Opens the store at `url`, or creates it, and migrates it if it has an earlier model.
  ///
  /// The store is opened for writing, and may grow to 1 TiB. For other settings, open it with a
  /// plan once, release it, and open it without one.
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
  ///   - busyTimeout: how long the migration, and saves later, wait for another process; nil for
  ///     ever.
  ///   - progress: called after each batch of a stage, on a thread of the store; it must be short.
  /// - Throws: as the initializer without a plan; `StoreError.laterModel` if the store has a later
  ///   model of the plan; `StoreError.valuesMissing`; the errors of a stage's code. After an error
  ///   of a stage, the store is as it was before that stage.
  public convenience init(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    busyTimeout: Duration? = .seconds(30),
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) throws {
    _ = try plan.run(
      onStoreAt: url, to: model, removing: removing, durability: durability,
      busyTimeout: busyTimeout, progress: progress)
    try self.init(
      at: url, model: model, removing: removing, durability: durability, busyTimeout: busyTimeout)
  }
}

extension PersistentContainer {
  /// Opens the store at `url`, or creates it, and migrates it if it has an earlier model.
  ///
  /// The store is opened for writing, may grow to 1 TiB, and is not saved automatically. For other
  /// settings, open it with a plan once, release it, and open it without one.
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
  ///   - busyTimeout: how long the migration, and saves later, wait for another process; nil for
  ///     ever.
  ///   - progress: called after each batch of a stage, on a thread of the store; it must be short.
  /// - Throws: as `PersistentStoreCoordinator`'s initializer with a plan.
  public convenience init(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    busyTimeout: Duration? = .seconds(30),
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) throws {
    _ = try plan.run(
      onStoreAt: url, to: model, removing: removing, durability: durability,
      busyTimeout: busyTimeout, progress: progress)
    try self.init(
      at: url, model: model, removing: removing, durability: durability, busyTimeout: busyTimeout)
  }

  /// Opens the store at `url`, or creates it, and migrates it off the caller's thread if it has an
  /// earlier model. When the task is cancelled, the migration ends after the current batch of
  /// objects, and the store is as it was before the current stage.
  ///
  /// The store is opened for writing, may grow to 1 TiB, and is not saved automatically. For other
  /// settings, open it with a plan once, release it, and open it without one.
  ///
  /// - Throws: as the blocking initializer, and `CancellationError`.
  public static func open(
    at url: URL, model: ManagedObjectModel, migratingWith plan: MigrationPlan,
    removing: Set<String> = [], durability: StoreDurability = .full,
    busyTimeout: Duration? = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> PersistentContainer {
    let watch = BatchWatch()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            with: Result {
              _ = try plan.run(
                onStoreAt: url, to: model, removing: removing, durability: durability,
                busyTimeout: busyTimeout, progress: progress, watch)
              return try PersistentContainer(
                at: url, model: model, removing: removing, durability: durability,
                busyTimeout: busyTimeout)
            })
        }
      }
    } onCancel: {
      watch.cancel()
    }
  }
}
