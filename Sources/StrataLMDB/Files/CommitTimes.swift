// SPDX-License-Identifier: Apache-2.0

/// When commits were seen in this process, in little memory: from them follows how long the state
/// of a reader has been out of date, and taking a snapshot needs no clock.
///
/// It keeps one commit for about each second, and fewer of longer ago: an age is up to a second too
/// low, and up to a sixteenth of itself. It is never too high.
///
/// ## Invariants
/// - I1 Numbers and times ascend.
/// - I2 The newest commit that was noted is the last one.
package struct CommitTimes: Sendable {
  private struct Entry {
    var number: UInt64
    var time: Duration
  }

  /// Enough for a hundred days.
  private static let countMax = 256
  /// Commits that are less apart share an entry.
  private static let spacing = Duration.seconds(1)

  private var entries: [Entry] = []

  package init() {}

  /// Notes that a commit is there. Commits of other processes, between it and the one noted before,
  /// are there too.
  ///
  /// - Parameter time: not before the time of the former call.
  package mutating func note(_ number: UInt64, at time: Duration) {
    if let last = entries.last, last.number >= number { return }
    let count = entries.count
    if count >= 2, time - entries[count - 2].time < Self.spacing {
      entries[count - 1] = Entry(number: number, time: time)
      return
    }
    entries.append(Entry(number: number, time: time))
    if entries.count > Self.countMax { thin(at: time) }
  }

  /// How long ago the state of a commit was replaced by another one, at the least; 0 for the newest
  /// state.
  package func age(ofCommit number: UInt64, at now: Duration) -> Duration {
    // The first of the entries that are above the number.
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number > number { high = middle } else { low = middle + 1 }
    }
    return low < entries.count ? max(.zero, now - entries[low].time) : .zero
  }

  /// Removes entries that are close together for their age.
  private mutating func thin(at now: Duration) {
    var kept: [Entry] = []
    for (index, entry) in entries.enumerated() {
      if let former = kept.last, index + 1 < entries.count {
        let next = entries[index + 1]
        if (next.time - former.time) * 16 < now - next.time { continue }
      }
      kept.append(entry)
    }
    entries = Array(kept.suffix(Self.countMax))
  }
}
