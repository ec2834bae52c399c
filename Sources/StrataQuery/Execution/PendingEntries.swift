// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The entries of an overlay in a range of one index, in order. The sorted runs of the segments are
/// merged, without entries that a newer segment has made stale. O(log pending) to begin, then
/// O(segments) per entry.
///
/// ## Lifetime
/// It lives during one walk. The walk retains it until the last entry has been processed: the bytes
/// are in the runs that it retains.
struct PendingEntries {
  private struct Cursor {
    let run: IndexRun
    let depth: Int
    var position: Int
    let end: Int
    /// The entry at the position, unless the position is the end.
    var object = ObjectKey(rawValue: 0)
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private let lookUp: PendingLookUp
  private let isReversed: Bool
  private var cursors: [Cursor] = []
  /// The cursor with the next entry; nil at the end.
  private var nearest: Int?

  /// - Parameter lookUp: the look-up of the overlay.
  init(
    _ lookUp: PendingLookUp, index: PropertyNumber, in range: KeyRange, isReversed: Bool
  ) {
    self.lookUp = lookUp
    self.isReversed = isReversed
    for (depth, segment) in lookUp.layers.segments.enumerated() {
      guard let run = segment.run(of: index) else { continue }
      let indices = run.indices(in: range)
      if indices.isEmpty { continue }
      cursors.append(
        isReversed
          ? Cursor(
            run: run, depth: depth, position: indices.upperBound - 1, end: indices.lowerBound - 1)
          : Cursor(
            run: run, depth: depth, position: indices.lowerBound, end: indices.upperBound))
      settle(cursors.count - 1)
    }
    choose()
  }

  /// Whether the next entry comes before `other`; false if there is no next entry.
  func isNext(before other: UnsafeRawBufferPointer) -> Bool {
    guard let nearest else { return false }
    return precedes(cursors[nearest].bytes, other)
  }

  /// Calls `body` with the next entry and moves to the entry after it.
  mutating func next<R>(
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> R
  ) rethrows -> R? {
    guard let nearest else { return nil }
    let (bytes, object) = (cursors[nearest].bytes, cursors[nearest].object)
    cursors[nearest].position += isReversed ? -1 : 1
    settle(nearest)
    choose()
    return try body(bytes, object)
  }

  /// Moves a cursor forward to an entry that no newer segment has made stale.
  private mutating func settle(_ index: Int) {
    let step = isReversed ? -1 : 1
    while cursors[index].position != cursors[index].end {
      let position = cursors[index].position
      let object = cursors[index].run.entries[position].object
      if !lookUp.isShadowed(object, above: cursors[index].depth) {
        cursors[index].object = object
        cursors[index].bytes = cursors[index].run.bytes(at: position)
        return
      }
      cursors[index].position += step
    }
  }

  private mutating func choose() {
    nearest = nil
    for index in cursors.indices where cursors[index].position != cursors[index].end {
      guard let best = nearest else {
        nearest = index
        continue
      }
      if precedes(cursors[index].bytes, cursors[best].bytes) { nearest = index }
    }
  }

  private func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    isReversed ? right.isBelow(left) : left.isBelow(right)
  }
}
