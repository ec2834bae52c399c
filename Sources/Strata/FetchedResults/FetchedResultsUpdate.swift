// SPDX-License-Identifier: Apache-2.0

/// One change of a fetched list, for a consumer in another isolation.
public struct FetchedResultsUpdate: Sendable {
  /// The 1-based number of this change of its list. A gap means that a change was dropped: continue
  /// from `snapshot`.
  public let number: Int
  /// How the list of the update before became `snapshot`.
  public let difference: FetchedResultsDifference
  /// The list after the change.
  public let snapshot: FetchedResultsSnapshot
}
