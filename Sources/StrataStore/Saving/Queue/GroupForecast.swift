// SPDX-License-Identifier: Apache-2.0
package import Dispatch

/// Predicts which savers will save within the next moment: those that were answered in the last
/// group and return, and those that arrived while it was being written.
///
/// Without it, savers that save repeatedly split into two groups that take turns. The first one
/// that returns begins a commit of its own, the others arrive while that is under way, and so on.
/// Each commit takes half of them, and each saver waits for two commits. With it, the next group
/// begins when all have returned. The wait takes at most as long as the last commit took, and never
/// longer than `patienceMax`, counted from the end of that commit. (Beginning the transaction at
/// once and writing each save as it arrives is no faster, and holds LMDB's lock for longer.)
///
/// A lone saver never waits: no saver arrived while its save was being written, and no other was
/// answered. When savers stop, one group waits in vain, and the next one does not.
package struct GroupForecast {
  /// How many are expected to wait before the next group begins.
  package private(set) var count = 0
  /// When they are not expected any more.
  package private(set) var deadline = DispatchTime.distantFuture

  /// The longest time that a saver with company waits for others, in nanoseconds.
  private static let patienceMax: UInt64 = 500_000
  /// A commit that is shorter is over before a thread that waits for it would be awake.
  private static let commitMin: UInt64 = 100_000

  package init() {}

  /// Notes that a group was written.
  ///
  /// - Parameters:
  ///   - count: how many requests were in it.
  ///   - arrivedCount: how many have come while it was being written, and wait.
  package mutating func noteCommit(
    of count: Int, arrivedCount: Int, from start: DispatchTime, to end: DispatchTime
  ) {
    let taken = end.uptimeNanoseconds - start.uptimeNanoseconds
    let expected = count + arrivedCount
    self.count = expected > 1 && taken >= Self.commitMin ? expected : 0
    deadline = end + .nanoseconds(Int(min(taken, Self.patienceMax)))
  }
}
