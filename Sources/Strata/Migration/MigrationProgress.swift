// SPDX-License-Identifier: Apache-2.0

/// The progress of a stage of a migration.
public struct MigrationProgress: Sendable, Hashable {
  /// The name of the stage.
  public let stage: String
  /// How many objects the stage's current `forEach` has processed.
  public let completedCount: Int
  /// How many objects the stage's current `forEach` has to process.
  public let objectCount: Int
}
