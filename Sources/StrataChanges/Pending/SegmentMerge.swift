// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// Merges neighbouring segments of an overlay into one, in steps of any length: first their tables,
/// then their links, then the index runs that were made of them. A run that none of them has is
/// none of the merged segment's either, until it is asked for.
///
/// A delete of an object that came and went in the overlay stays: a child that saw the object may
/// still push a change of it, or a link to it.
///
/// ## Isolation
/// A value of one owner.
package struct SegmentMerge {
  /// Newest first.
  let segments: [Segment]
  private var tables: TableMerge
  private var links: LinkMerge
  /// The merged changes, once they are complete.
  private var changes: ChangeTable?
  private var runs: [(index: PropertyNumber, run: IndexRun)] = []
  /// The merge of the runs of one index.
  private var run: (index: PropertyNumber, merge: RunMerge)?
  /// The merged segment, once it is complete.
  package private(set) var merged: Segment?

  /// - Parameter segments: newest first, two at least.
  package init(_ segments: [Segment]) {
    self.segments = segments
    tables = TableMerge(segments.map(\.changes))
    links = LinkMerge(segments.map(\.links))
  }

  /// Everything in `segments` as one segment. A single segment is returned as it is.
  ///
  /// - Parameter segments: newest first, one at least.
  static func merged(_ segments: [Segment]) -> Segment {
    if segments.count == 1 { return segments[0] }
    var merge = SegmentMerge(segments)
    var budget = Int.max
    merge.advance(&budget)
    guard let merged = merge.merged else { stopProgram("a merge without limit ends") }
    return merged
  }

  /// Moves at most `budget` entries, and reduces it by their number.
  package mutating func advance(_ budget: inout Int) {
    while budget > 0, merged == nil {
      tables.advance(&budget)
      guard tables.isFinished else { return }
      links.advance(&budget)
      guard links.isFinished else { return }
      let changes = changes ?? tables.finished()
      self.changes = changes
      guard var next = run.take() ?? nextRun(keptCount: changes.count) else {
        merged = Segment(
          changes: changes, links: links.merged, schema: segments[0].schema, runs: runs)
        return
      }
      next.merge.advance(&budget)
      if next.merge.isFinished {
        runs.append((next.index, next.merge.finished))
      } else {
        run = next
      }
    }
  }

  /// The next of the runs that were made so far, also while this merge was under way.
  private func nextRun(keptCount: Int) -> (index: PropertyNumber, merge: RunMerge)? {
    for segment in segments {
      for index in segment.madeRuns.indexes where !runs.contains(where: { $0.index == index }) {
        let all = segments.map { $0.run(of: index) ?? IndexRun() }
        return (index, RunMerge(all, of: segments.map(\.changes), keptCount: keptCount))
      }
    }
    return nil
  }
}
