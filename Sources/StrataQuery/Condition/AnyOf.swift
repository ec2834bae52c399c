// SPDX-License-Identifier: Apache-2.0

/// Conditions of which at least one holds. Of none it is false.
package struct AnyOf: Condition {
  package let branches: [any Condition]

  /// Takes the branches of an "or" within an "or" as its own.
  package init(_ branches: [any Condition]) {
    self.branches = branches.flatMap { ($0 as? AnyOf)?.branches ?? [$0] }
  }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    for branch in branches where try branch.isTrue(of: row, reader) { return true }
    return false
  }

  /// What the branches have together, if all are about one slot.
  package var stretch: SlotStretch? {
    let stretches = branches.compactMap(\.stretch)
    guard var union = stretches.first, stretches.count == branches.count else { return nil }
    for stretch in stretches.dropFirst() {
      guard stretch.slot == union.slot else { return nil }
      union.keys = union.keys.union(stretch.keys)
    }
    return union
  }

  /// What each branch has, if all have something.
  package func source(in planner: AccessPlanner) -> RankedSource? {
    var sources: [KeySource] = []
    var rank = SourceRank.certain
    var isWhole = true
    for branch in branches {
      guard let found = planner.source(for: branch) else { return nil }
      sources.append(found.source)
      rank = max(rank, found.rank)
      isWhole = isWhole && found.isWhole
    }
    return RankedSource(source: .union(sources), rank: rank.behind(.union), isWhole: isWhole)
  }

  package var description: String {
    "(\(branches.map(\.description).joined(separator: " || ")))"
  }
}
