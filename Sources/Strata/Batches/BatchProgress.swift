// SPDX-License-Identifier: Apache-2.0

/// The progress of a batch.
public struct BatchProgress: Sendable, Hashable {
  /// How many objects were deleted or examined, or how many rows were processed. Objects and rows
  /// that are not committed yet are counted too.
  public let completedCount: Int
  /// How many objects are to be deleted or examined, as far as is known; nil for a batch insert,
  /// whose number of rows is not known.
  public let objectCount: Int?
  /// The end of the last committed transaction, from which the batch can be resumed after a crash;
  /// nil for a batch delete.
  public let token: BatchToken?
}
