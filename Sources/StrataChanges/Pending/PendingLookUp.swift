// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Finds the pending changes of objects in all segments of an overlay. A walk over the store asks
/// it for each entry.
///
/// It has the segments' key maps side by side, so that a question counts no references and touches
/// one line of memory for each segment that may contain the object.
///
/// ## Lifetime
/// The lifetime of the view, or of a walk. It retains the segments.
///
/// ## Isolation
/// The view's.
package final class PendingLookUp {
  /// Where a change is.
  package struct Place {
    /// Which of the overlay's segments has it; 0 is the newest.
    package let depth: Int
    /// Its place in the segment's table.
    package let index: Int
  }

  private struct Part {
    let interval: KeyMap.Interval
    let depth: Int
  }

  package let layers: Overlay
  /// They have the words that the parts lead to.
  private let maps: [KeyMap]
  /// Near to far.
  private let parts: UnsafeMutablePointer<Part>
  private let partCount: Int

  package init(_ layers: Overlay) {
    self.layers = layers
    maps = layers.segments.map(\.keyMap)
    let partCount = maps.reduce(0) { $0 + $1.intervals.count }
    let parts = UnsafeMutablePointer<Part>.allocate(capacity: max(partCount, 1))
    var next = parts
    for (depth, map) in maps.enumerated() {
      for interval in map.intervals {
        next.initialize(to: Part(interval: interval, depth: depth))
        next += 1
      }
    }
    self.parts = parts
    self.partCount = partCount
  }

  deinit { parts.deallocate() }

  /// Where the nearest change of `key` is; nil if nothing is pending for it. O(segments).
  package func place(of key: ObjectKey) -> Place? { place(of: key, above: .max) }

  /// Whether anything is pending for `key`. O(segments).
  package func isTouched(_ key: ObjectKey) -> Bool { place(of: key, above: .max) != nil }

  /// Whether a segment newer than the one at `depth` has a change of `key`. O(depth).
  package func isShadowed(_ key: ObjectKey, above depth: Int) -> Bool {
    depth > 0 && place(of: key, above: depth) != nil
  }

  /// The pending change of an object at a position: its record, and the generation of the stored
  /// record that it is based on. Nil for a tombstone.
  package func record(at place: Place) -> StoredRecord? {
    let changes = layers.segments[place.depth].changes
    // By part: a copy of the change would count references to all that it holds.
    guard let record = changes.values[place.index].record else { return nil }
    return StoredRecord(
      record: record, generation: changes.values[place.index].base?.generation ?? 0)
  }

  @inline(__always)
  private func place(of key: ObjectKey, above depth: Int) -> Place? {
    let raw = key.rawValue
    for number in 0..<partCount {
      if parts[number].depth >= depth { return nil }
      if raw < parts[number].interval.first || raw > parts[number].interval.last { continue }
      switch parts[number].interval.answer(for: raw) {
      case .absent: continue
      case .at(let index): return Place(depth: parts[number].depth, index: index)
      case .unknown:
        if let index = search(key, at: parts[number].depth) {
          return Place(depth: parts[number].depth, index: index)
        }
      }
    }
    return nil
  }

  @inline(never)
  private func search(_ key: ObjectKey, at depth: Int) -> Int? {
    layers.segments[depth].changes.index(of: key)
  }
}
