// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Random delays before kills of one operation, half of which come before it is done.
///
/// How long the operation takes depends on the machine and its load. The span that delays are
/// drawn from therefore follows the results: it shrinks after a kill that came too late and
/// grows after one that came in time. As long as all came in time, or all too late, it changes
/// fast, and there are more rounds than asked for.
struct KillMoment {
  private var longest: UInt32 = 8_000
  private var roundCount = 0
  private var lateCount = 0

  /// The number of the next kill, from 1; nil after `count` kills, if some came in time and some
  /// too late.
  mutating func nextRound(of count: Int) -> Int? {
    if roundCount >= count, hasBoth || roundCount >= count + Self.extraCountMax { return nil }
    roundCount += 1
    return roundCount
  }

  /// Enough to find the moment of any operation of less than half a minute.
  private static var extraCountMax: Int { 40 }

  /// Whether some kills came in time and some too late.
  private var hasBoth: Bool { lateCount > 0 && lateCount < roundCount }

  /// A delay in microseconds.
  func next(using random: inout SeededGenerator) -> UInt32 {
    .random(in: 0...longest, using: &random)
  }

  /// - Parameter late: whether the operation was done before the kill.
  mutating func note(late: Bool) {
    if late { lateCount += 1 }
    if late {
      longest = max(200, hasBoth ? longest / 4 * 3 : longest / 2)
    } else {
      longest = min(30_000_000, hasBoth ? longest / 3 * 4 : longest * 2)
    }
  }
}
