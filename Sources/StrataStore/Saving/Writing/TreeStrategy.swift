// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// The way in which a tree gets what a save plans for it. All ways lead to the same entries; they differ in
/// what they cost.
///
/// | way | what it does | who does it |
/// | --- | --- | --- |
/// | `edit` | searches for each entry, and puts or removes it there | `PostingWriter`, cursors |
/// | `rewrite` | reads the tree, and appends what stays and what comes to an empty one | `TreeImage`, `IndexTreeMerge` |
/// | `empty` | frees the pages of a tree of which nothing stays | `TreeWriter`, as `WholeEntities` says |
package enum TreeStrategy: Sendable, CaseIterable {
  case edit
  case rewrite
  case empty

  /// Fewer changes are never worth a look at a whole tree.
  static let rewrittenCountMin = 64

  /// Whether so much of a tree changes that it is cheaper to write it anew: its entries are walked and
  /// appended at a quarter of what it costs to search for one and change it.
  ///
  /// What only adds is added one by one: values that come last, as dates and counters do, need no search.
  ///
  /// - Parameters:
  ///   - removedCount: how many entries go.
  ///   - addedCount: how many come.
  ///   - placeCount: about how many places of the tree these are at. Index entries of one value share
  ///     blocks, which are changed once for all.
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
