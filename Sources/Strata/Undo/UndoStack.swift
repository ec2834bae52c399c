// SPDX-License-Identifier: Apache-2.0

/// The groups that can be undone, or those that can be redone, the newest on top.
///
/// A savepoint keeps a copy, which shares the groups: all operations are O(1) all the same.
///
/// ## Isolation
/// Its context's.
struct UndoStack {
  private final class Entry {
    let group: UndoGroup
    private(set) var below: Entry?

    init(_ group: UndoGroup, above below: Entry?) { (self.group, self.below) = (group, below) }

    /// Releases the entries below one after the other: each within the deinit of the one above it
    /// would need the stack of as many calls.
    deinit {
      var rest = below.take()
      while isKnownUniquelyReferenced(&rest) { rest = rest?.below.take() }
    }
  }

  private var top: Entry?
  private(set) var count = 0
  /// How many entries there are in memory: those that were forgotten are at the bottom.
  private var entryCount = 0

  var isEmpty: Bool { count == 0 }
  /// The newest group; nil if there is none.
  var last: UndoGroup? { isEmpty ? nil : top?.group }

  mutating func append(_ group: UndoGroup) {
    top = Entry(group, above: top)
    count += 1
    entryCount += 1
  }

  /// Takes the newest group; nil if there is none.
  mutating func popLast() -> UndoGroup? {
    guard !isEmpty, let entry = top else { return nil }
    top = entry.below
    count -= 1
    entryCount -= 1
    return entry.group
  }

  /// Forgets the oldest groups beyond `countMax`. O(1) for each group that is appended.
  mutating func keepNewest(_ countMax: Int) {
    count = min(count, countMax)
    if entryCount <= 2 * count { return }
    var kept: [UndoGroup] = []
    var entry = top
    while kept.count < count, let next = entry {
      kept.append(next.group)
      entry = next.below
    }
    self = UndoStack()
    for group in kept.reversed() { append(group) }
  }
}
