// SPDX-License-Identifier: Apache-2.0

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
  /// How many objects are deleted or examined, or how many rows are inserted or looked for.
  /// Those that are not committed yet are counted too.
  public let completedCount: Int
  /// How many there are to delete or to examine; nil for a batch insert, which knows no end.
  public let objectCount: Int?
  /// The end of the last finished stretch, to go on from after a crash; nil for a
  /// batch delete.
  public let token: BatchToken?
}
