// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel

/// One stage of a migration: from one model to the next, with code that converts the data.
package struct StoreStage: Sendable {
  package let name: String
  package let from: ManagedObjectModel
  package let to: ManagedObjectModel
  /// The data that may be deleted.
  package let removing: DataRemoval
  /// The properties whose values the code sets.
  package let converting: Set<ModelEvolution.Property>
  /// Converts the data. It saves to the store with the new model, and reads the state before the
  /// stage with the former model.
  package let convert: @Sendable (TransactionStore, _ former: ReadView) throws -> Void

  package init(
    _ name: String, from: ManagedObjectModel, to: ManagedObjectModel, removing: DataRemoval,
    converting: Set<ModelEvolution.Property>,
    convert: @escaping @Sendable (TransactionStore, ReadView) throws -> Void
  ) {
    (self.name, self.from, self.to) = (name, from, to)
    (self.removing, self.converting, self.convert) = (removing, converting, convert)
  }
}

/// The result of a stage.
package struct StageOutcome: Sendable {
  /// The index of the stage in the list of stages that the migration was given.
  package let index: Int
  package let counts: MigrationCounts
  package let duration: Duration
}
