// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataStore

/// One stage of a migration. Core Data: `NSCustomMigrationStage`.
public struct MigrationStage: Sendable {
  /// The name of the stage in progress, reports and the history.
  public let name: String
  let from: ManagedObjectModel
  let to: ManagedObjectModel
  let converting: Set<String>
  let removing: Set<String>
  let convert: @Sendable (Migration) throws -> Void

  /// - Parameters:
  ///   - name: the name of the stage in progress, reports and the history.
  ///   - from: the model of the store before the stage.
  ///   - to: the model of the store after the stage.
  ///   - converting: the properties of `to`, as `Entity.property`, whose values `convert` sets:
  ///     properties whose type, kind or destination changes, and attributes that must have a value
  ///     and have no default. If the form of a property changes, its former values are deleted;
  ///     `convert` can read them.
  ///   - removing: the entities of `from`, and the properties as `Entity.property`, that `to` does
  ///     not have and whose data may be deleted. `convert` can read this data.
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

extension MigrationStage {
  /// The stage as the store runs it.
  ///
  /// - Throws: `StoreError.malformedNames`.
  func prepared(
    _ progress: (@Sendable (MigrationProgress) -> Void)?, _ watch: BatchWatch
  ) throws -> StoreStage {
    StoreStage(
      name, from: from, to: to, removing: try DataRemoval(parsing: removing),
      converting: try Set(parsing: converting)
    ) { [self] store, former in
      let migration = Migration(
        name, store, model: to, from: former, progress: progress, watch)
      try convert(migration)
      try migration.save()
    }
  }
}
