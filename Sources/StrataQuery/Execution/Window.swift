// SPDX-License-Identifier: Apache-2.0

/// Which of a stream of results are wanted: not the first `offset`, and then `limit` of them.
struct Window {
  private(set) var toSkip: Int
  private(set) var remaining: Int

  init(offset: Int, limit: Int?) {
    toSkip = max(offset, 0)
    remaining = max(limit ?? .max, 0)
  }

  var isFull: Bool { remaining == 0 }

  /// How many of the next results matter, those that are left out among them.
  var wanted: Int {
    let (sum, didOverflow) = toSkip.addingReportingOverflow(remaining)
    return didOverflow ? .max : sum
  }

  /// No further result is wanted.
  mutating func close() { remaining = 0 }

  /// Leaves out the next `count` results, if none of them is wanted.
  mutating func skips(_ count: Int) -> Bool {
    guard count <= toSkip else { return false }
    toSkip -= count
    return true
  }

  /// Whether the next result is wanted. Counts it.
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
