// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Entries that are only counted, for a count or before an offset, are not walked: the store counts
// them a block at a time (`ReadView.countEntries`, `skipEntries`). It does not look at the objects,
// so all of them must be results.

extension FetchSession where Sink: RowSink {
  /// Passes the number of objects to the sink, if the plan's index knows it.
  ///
  /// - Returns: false if the entries must be walked.
  func countBlocks() throws -> Bool {
    guard Sink.countsAlone, plan.filter == nil, plan.sort.isEmpty, plan.limit == nil else {
      return false
    }
    let source: (access: IndexAccess, detail: String)
    switch plan.access {
    case .inOrder(let order): source = (order.access, "\(order.access), in order")
    case .source(.index(let single)): source = (single, single.description)
    default: return false
    }
    let access = source.access
    guard access.range.certainty == .all, access.index.isOfFamilyAlone(plan) else { return false }
    var counted = ReadCount()
    for range in access.range.keyRanges {
      guard let (count, lookUpCount) = try view.countEntries(of: access.index.number, in: range)
      else { return false }
      counted.entries += count
      counted.records += lookUpCount
    }
    reads = reads + counted
    sink.take(count: max(counted.entries - window.toSkip, 0))
    if trace != nil {
      accessStep = QueryExplanation.Step(
        .index, source.detail, found: counted.entries, counted, inputs: [])
    }
    return true
  }

  /// Skips entries before the window.
  ///
  /// - Returns: the rest of the range, in which the walk goes on; nil at its end.
  func skip(in range: KeyRange, _ order: IndexOrder, isReversed: Bool) throws -> KeyRange? {
    let index = order.access.index
    guard window.skipsBlocks, isInKeyOrder(within: order), index.isOfFamilyAlone(plan) else {
      return range
    }
    return try window.skip(in: range, of: index.number, view, isReversed: isReversed, &reads)
  }
}

extension IndexSchema {
  /// Whether each entry of the index belongs to an object of the plan's entities.
  func isOfFamilyAlone(_ plan: QueryPlan) -> Bool {
    plan.schema.entities(with: number) == plan.family
  }
}
