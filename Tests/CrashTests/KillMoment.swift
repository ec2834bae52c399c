// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Random delays before kills of one operation, half of which come before it is done.
///
/// How long the operation takes depends on the machine and its load. The span that delays are
/// drawn from therefore follows the results: it shrinks after a kill that came too late and
/// grows after one that came in time.
struct KillMoment {
  private var longest: UInt32 = 8_000

  /// A delay in microseconds.
  func next(using random: inout SeededGenerator) -> UInt32 {
    .random(in: 0...longest, using: &random)
  }

  /// - Parameter late: whether the operation was done before the kill.
  mutating func note(late: Bool) {
    longest = late ? max(200, longest / 4 * 3) : min(2_000_000, longest / 3 * 4)
  }
}
