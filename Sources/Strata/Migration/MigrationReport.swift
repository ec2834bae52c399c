// SPDX-License-Identifier: Apache-2.0

/// The result of a migration.
public struct MigrationReport: Sendable, Hashable {
  /// The result of one stage.
  public struct Stage: Sendable, Hashable {
    /// The name of the stage.
    public let name: String
    /// How many objects were inserted.
    public let insertedCount: Int
    /// How many objects were updated. An object counts once for each save that updates it.
    public let updatedCount: Int
    /// How many objects were deleted.
    public let deletedCount: Int
    /// The time that the stage took.
    public let duration: Duration
  }

  /// The stages that were run; empty if none was needed.
  public let stages: [Stage]
}
