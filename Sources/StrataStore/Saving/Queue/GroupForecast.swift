// SPDX-License-Identifier: Apache-2.0
package import Dispatch

/// Who will probably save within the next moment: those who were answered in the last group, and come back,
/// and those who have come while it was being written.
///
/// Without it, savers that save again and again take turns in two groups: the first one that comes back
/// begins a commit of its own, the others come while that is under way, and so on. Each commit takes
/// half of them, and each of them waits for two commits. With it, the next group begins when all are
/// back; but it waits for as long as the last commit took at the most, and never longer than
/// `patienceMax`, counted from the end of that commit. (To begin the transaction at once and to write each
/// as it comes is no faster, and holds LMDB's lock for longer.)
///
/// A lone saver never waits: nobody has come while its save was being written, and nobody else was
/// answered. Where savers stop, one group waits in vain, and the next one knows it.
package struct GroupForecast {
  /// How many are expected to wait before the next group begins.
  package private(set) var count = 0
  /// When they are not expected any more.
  package private(set) var deadline = DispatchTime.distantFuture

  /// What a saver that has company may lose at the most, in nanoseconds.
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
