// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// The way in which a save's plan is written to a tree. All ways produce the same entries; they
/// differ in cost.
///
/// | way | description | implementation |
/// | --- | --- | --- |
/// | `edit` | searches for each entry, and puts or removes it there | `PostingWriter`, cursors |
/// | `rewrite` | appends old and new entries to an empty tree | `TreeImage`, `IndexTreeMerge` |
/// | `empty` | frees the pages of a tree that loses all entries | `TreeWriter`, `EmptiedEntities` |
package enum TreeStrategy: Sendable, CaseIterable {
  case edit
  case rewrite
  case empty

  /// Fewer changes are never worth a look at a whole tree.
  static let rewrittenCountMin = 64

  /// Whether a tree changes enough to make rewriting it cheaper: walking and appending its entries
  /// costs a quarter of searching for one and changing it.
  ///
  /// If there are only additions, they are written one by one: values that come last, as dates and
  /// counters do, need no search.
  ///
  /// - Parameters:
  ///   - removedCount: the number of removed entries.
  ///   - addedCount: the number of added entries.
  ///   - placeCount: the approximate number of positions of the tree that these entries are at.
  ///     Index entries of one value share blocks, which are changed once for all.
  static func isWorthwhile(
    removing removedCount: Int, adding addedCount: Int, _ statistics: TreeStatistics,
    at placeCount: () -> Int
  ) -> Bool {
    guard removedCount > 0, statistics.entryCount > 0, statistics.overflowPageCount == 0,
      (removedCount + addedCount) * 2 >= statistics.entryCount
    else { return false }
    return placeCount() * 2 >= statistics.entryCount
  }
}
