// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// The window of a result: skips the first `offset` objects, and then takes `limit` objects.
struct Window {
  private(set) var toSkip: Int
  private(set) var remaining: Int

  init(offset: Int, limit: Int?) {
    toSkip = max(offset, 0)
    remaining = max(limit ?? .max, 0)
  }

  /// The number of entries that a walk passes in the time that it takes to skip any.
  private static let skippedCountMin = 16

  var isFull: Bool { remaining == 0 }

  /// The number of next results that are needed, including those that are skipped.
  var wanted: Int {
    let (sum, didOverflow) = toSkip.addingReportingOverflow(remaining)
    return didOverflow ? .max : sum
  }

  /// Whether so much is before the window that skipping entries by blocks is faster than a walk.
  var skipsBlocks: Bool { toSkip >= Self.skippedCountMin }

  /// Ends the window, so that no further result is taken.
  mutating func close() { remaining = 0 }

  /// Skips the next `count` results, if the window skips all of them.
  mutating func skips(_ count: Int) -> Bool {
    guard count <= toSkip else { return false }
    toSkip -= count
    return true
  }

  /// Skips entries before the window by blocks. Each entry of the range is a result.
  ///
  /// - Returns: the rest of the range, in which the walk goes on; nil at its end.
  mutating func skip(
    in range: KeyRange, of index: PropertyNumber, _ view: ReadView, isReversed: Bool,
    _ reads: inout ReadCount
  ) throws -> KeyRange? {
    let (skipped, lookUpCount) = try view.skipEntries(
      of: index, in: range, isReversed: isReversed, upTo: toSkip)
    guard skips(skipped.count) else { return range }
    reads.entries += skipped.count
    reads.records += lookUpCount
    return skipped.rest
  }

  /// Counts the next result, and returns whether the window takes it.
  mutating func takes() -> Bool {
    if toSkip > 0 {
      toSkip -= 1
      return false
    }
    guard remaining > 0 else { return false }
    remaining -= 1
    return true
  }
}
