// SPDX-License-Identifier: Apache-2.0
import StrataModel

// Segments are merged by size, so that their number stays logarithmic in the number of pending
// changes and each change is moved a logarithmic number of times. A save that adds a segment to
// others merges, but never moves more than a few times as many entries as that segment has: a
// larger merge goes on with the segments that come later.

extension Overlay {
  /// Segments of fewer changes than this together are merged by twos, which favours readers.
  private static let smallSizeMax = 2_048
  /// This number of larger segments of similar size are merged, which favours savers.
  private static let likeCount = 4
  /// How many entries are moved for each entry of the newest segment. A change is moved once for
  /// each power of `likeCount` in the number of all pending changes, so this is enough for merges
  /// to keep up.
  private static let movesPerEntry = 8
  /// This many entries are moved however small the newest segment is: less than a save costs
  /// anyway.
  private static let moveCountMin = 512

  /// This overlay with its segments merged, as far as its newest segment pays for it. Frozen
  /// segments are left alone: a save refers to them.
  package func compacted() -> Overlay {
    guard segments.count > 1, let newest = segments.first else { return self }
    var merged = segments
    var merges = merges.filter { !$0.segments.contains(where: \.isFrozen) }
    // Often the same few objects are changed again and again.
    while merged.count > 1, newest.hides(merged[1]), !merges.contains(where: { $0.has(merged[1]) })
    {
      merged.remove(at: 1)
    }
    var budget = max(Self.moveCountMin, Self.movesPerEntry * newest.entryCount)
    // The newest first: they are the smallest, and readers have most of them.
    while budget > 0 {
      if let group = Self.group(in: merged, apartFrom: merges) {
        var merge = SegmentMerge(Array(merged[group]))
        merge.advance(&budget)
        if let segment = merge.merged {
          merged.replaceSubrange(group, with: [segment])
        } else {
          merges.append(SharedMerge(merge))
          merges.sort { merged.place(of: $0) < merged.place(of: $1) }
        }
      } else {
        for merge in merges { merge.advance(&budget) }
        guard let place = merges.firstIndex(where: { $0.merged != nil }) else { break }
        let merge = merges.remove(at: place)
        if let segment = merge.merged { merged.replace(merge.segments, by: segment) }
      }
    }
    return Overlay(segments: merged, merges: merges)
  }

  /// The newest neighbours that are to be merged; nil if there are none.
  private static func group(
    in segments: [Segment], apartFrom merges: [SharedMerge]
  ) -> Range<Int>? {
    // Each start is asked once: the answer depends on tags, which the store's writer sets.
    for start in segments.indices {
      if let group = group(from: start, in: segments, apartFrom: merges) { return group }
    }
    return nil
  }

  private static func group(
    from start: Int, in segments: [Segment], apartFrom merges: [SharedMerge]
  ) -> Range<Int>? {
    var largest = segments[start].size
    for (index, segment) in segments.enumerated().dropFirst(start) {
      if segment.isFrozen || merges.contains(where: { $0.has(segment) }) { return nil }
      if largest * 2 < segment.size { return nil }
      let isSmall = index == start + 1 && largest + segment.size <= smallSizeMax
      if isSmall || index + 1 - start == likeCount { return start..<(index + 1) }
      largest = max(largest, segment.size)
    }
    return nil
  }

  /// Everything pending as one segment, or nil if nothing is.
  package func flattened() -> Segment? {
    if segments.isEmpty { return nil }
    let segment = SegmentMerge.merged(segments)
    return segment.isEmpty ? nil : segment
  }
}

extension SharedMerge {
  fileprivate func has(_ segment: Segment) -> Bool { segments.contains { $0 === segment } }
}

extension [Segment] {
  /// Where the segments of `merge` begin.
  fileprivate func place(of merge: SharedMerge) -> Int {
    firstIndex { $0 === merge.segments[0] } ?? count
  }

  fileprivate mutating func replace(_ neighbours: [Segment], by segment: Segment) {
    guard let start = firstIndex(where: { $0 === neighbours[0] }) else { return }
    replaceSubrange(start..<(start + neighbours.count), with: [segment])
  }
}
