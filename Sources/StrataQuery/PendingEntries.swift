// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The entries that an overlay has in a stretch of one index, in order: its segments' sorted runs as
/// one, without entries that a newer segment has made stale. O(log pending) to begin, then
/// O(segments) per entry.
struct PendingEntries {
  fileprivate struct Cursor {
    let run: IndexRun
    let depth: Int
    var position: Int
    let end: Int
  }

  private let layers: Overlay
  private let isReversed: Bool
  private var cursors: [Cursor] = []
  /// The cursor with the next entry; nil if there is none.
  private var nearest: Int?

  init(_ layers: Overlay, index: PropertyNumber, in range: KeyRange, isReversed: Bool) {
    self.layers = layers
    self.isReversed = isReversed
    for (depth, segment) in layers.segments.enumerated() {
      guard let run = segment.run(of: index) else { continue }
      let first = run.firstIndex(notBelow: range.lower)
      let end = range.upper.map { run.firstIndex(notBelow: $0) } ?? run.entries.count
      guard first < end else { continue }
      let cursor =
        isReversed
        ? Cursor(run: run, depth: depth, position: end - 1, end: first - 1)
        : Cursor(run: run, depth: depth, position: first, end: end)
      cursors.append(cursor)
      settle(cursors.count - 1)
    }
    choose()
  }

  var isEmpty: Bool { nearest == nil }

  /// Whether the next entry comes before `other`; false if there is none.
  func isNext(before other: UnsafeRawBufferPointer) -> Bool {
    guard let nearest else { return false }
    return cursors[nearest].withBytes { precedes($0, other) }
  }

  /// Calls `body` with the next entry and passes on to the one after.
  mutating func next<R>(
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> R
  ) rethrows -> R? {
    guard let nearest else { return nil }
    let cursor = cursors[nearest]
    cursors[nearest].position += isReversed ? -1 : 1
    settle(nearest)
    choose()
    return try cursor.withBytes { try body($0, cursor.run.entries[cursor.position].object) }
  }

  /// Moves a cursor on to an entry that no newer segment has made stale.
  private mutating func settle(_ index: Int) {
    let step = isReversed ? -1 : 1
    while cursors[index].position != cursors[index].end {
      let object = cursors[index].run.entries[cursors[index].position].object
      if !layers.isShadowed(object, above: cursors[index].depth) { return }
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
      let isNearer = cursors[index].withBytes { bytes in
        cursors[best].withBytes { precedes(bytes, $0) }
      }
      if isNearer { nearest = index }
    }
  }

  private func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    isReversed ? IndexRun.precedes(right, left) : IndexRun.precedes(left, right)
  }
}

extension PendingEntries.Cursor {
  fileprivate func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try run.withBytes(at: position, body)
  }
}
