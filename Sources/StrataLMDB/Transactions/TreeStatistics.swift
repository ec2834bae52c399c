// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// Size and shape of one tree.
package struct TreeStatistics: Hashable, Sendable {
  package let entryCount: Int
  /// Pages from the root to a leaf; 0 when the tree is empty.
  package let depth: Int
  package let branchPageCount: Int
  package let leafPageCount: Int
  /// Pages of values that do not fit into a leaf.
  package let overflowPageCount: Int

  package var pageCount: Int { branchPageCount + leafPageCount + overflowPageCount }

  init(_ statistics: MDB_stat) {
    entryCount = Int(clamping: statistics.ms_entries)
    depth = Int(statistics.ms_depth)
    branchPageCount = Int(clamping: statistics.ms_branch_pages)
    leafPageCount = Int(clamping: statistics.ms_leaf_pages)
    overflowPageCount = Int(clamping: statistics.ms_overflow_pages)
  }
}
