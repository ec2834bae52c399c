// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The seeds of a run, handed out one after the other to all that work at it, until there are
/// failures enough.
public final class SeedRun: Sendable {
  public let seeds: Range<UInt64>
  private let failureCountMax: Int
  private let state: Mutex<(next: UInt64, failures: Int)>

  /// - Parameter failureCountMax: after how many failures no more seeds are handed out.
  public init(first: UInt64, count: UInt64, failureCountMax: Int = 1) {
    seeds = first..<first + count
    self.failureCountMax = failureCountMax
    state = Mutex((first, 0))
  }

  /// The next seed; nil if the run is over.
  ///
  /// - Parameter report: told how many seeds went before, in the order of the seeds.
  public func next(report: (UInt64) -> Void = { _ in }) -> UInt64? {
    state.withLock { state in
      guard state.next < seeds.upperBound, state.failures < failureCountMax else { return nil }
      report(state.next - seeds.lowerBound)
      state.next += 1
      return state.next - 1
    }
  }

  /// Notes a failure.
  ///
  /// - Returns: whether it is one of those that are wanted.
  public func fail() -> Bool {
    state.withLock { state in
      state.failures += 1
      return state.failures <= failureCountMax
    }
  }
}
