// SPDX-License-Identifier: Apache-2.0

/// Entries of an index that a walk passes over without looking at them, from the beginning of its
/// range on.
package struct SkippedEntries: Sendable, Hashable {
  /// How many entries they are.
  package var count: Int
  /// The rest of the range, where the walk goes on; nil if there are no more entries.
  package var rest: KeyRange?

  package init(count: Int, rest: KeyRange?) {
    self.count = count
    self.rest = rest
  }

  /// The part of `range` that was passed over, in a walk in either direction.
  package func part(of range: KeyRange, isReversed: Bool) -> KeyRange {
    guard let rest else { return range }
    return isReversed
      ? KeyRange(lower: rest.upper ?? range.lower, upper: range.upper)
      : KeyRange(lower: range.lower, upper: rest.lower)
  }
}
