// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
package import StrataRecord

// An index by its blocks: each has one value, and its number of objects is known without decoding
// them. So entries are counted and skipped a block at a time.

extension StoreView {
  package func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int {
    try passBlocks(of: index, in: range, isReversed: false, upTo: .max).count
  }

  package func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (_ value: UnsafeRawBufferPointer, _ entryCount: Int) throws -> ScanStep
  ) throws {
    try visitBlocks(of: index, in: range, isReversed: false) { cursor, _, entryCount in
      try body(EntryKey.value(ofBlock: cursor.key), entryCount)
    }
  }

  package func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    let passed = try passBlocks(of: index, in: range, isReversed: isReversed, upTo: most)
    let count = passed.count
    guard let (end, endCount) = passed.end else { return SkippedEntries(count: count, rest: nil) }
    let value = Array(end.dropLast(KeyEncoder.objectKeyByteCount))
    let ofValue = range.intersection(KeyRange(prefix: value))
    if isReversed {
      // Objects with one value come in ascending order also then: all of them are left.
      let behind = ofValue.intersection(KeyRange(lower: end))
      return SkippedEntries(
        count: count + endCount - (try countEntries(of: index, in: behind)),
        rest: KeyRange(lower: range.lower, upper: ofValue.upper))
    }
    if value.count >= KeyEncoder.valueByteCountMax {
      let before = ofValue.intersection(KeyRange(upper: end))
      return SkippedEntries(
        count: count - (try countEntries(of: index, in: before)),
        rest: KeyRange(lower: ofValue.lower, upper: range.upper))
    }
    return SkippedEntries(count: count, rest: range.intersection(KeyRange(lower: end)))
  }

  // MARK: - Blocks

  /// Blocks that were counted, from the beginning of a range or from its end.
  private struct PassedBlocks {
    /// The number of entries within the range.
    var count = 0
    /// The next block, without the number of the index, and its number of entries; nil at the end.
    var end: (entry: [UInt8], count: Int)?

    /// - Returns: whether the walk goes on.
    mutating func pass(
      _ key: UnsafeRawBufferPointer, _ entryCount: Int, upTo most: Int
    ) -> ScanStep {
      if count &+ entryCount > most {
        end = ([UInt8](key.dropFirst(EntryKey.prefixByteCount)), entryCount)
        return .stop
      }
      count &+= entryCount
      return .more
    }
  }

  /// Counts blocks until the next one would be too many.
  private func passBlocks(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> PassedBlocks {
    var passed = PassedBlocks()
    // Whether the walk ends in this leaf.
    var isNearEnd = false
    try visitBlocks(of: index, in: range, isReversed: isReversed) { cursor, bounds, entryCount in
      guard passed.pass(cursor.key, entryCount, upTo: most) == .more else { return .stop }
      // The rest of the leaf at once, if it is within the bounds and not too much.
      guard !isNearEnd, let edge = try cursor.keyAtEndOfLeaf(isReversed: isReversed),
        isReversed
          ? !edge.isBelow(bounds.lower) && !bounds.splitsBelow(edge)
          : bounds.isBelowUpper(edge) && !bounds.splitsAbove(edge)
      else { return .more }
      let rest = try cursor.sumToEndOfLeaf(isReversed: isReversed) { keyByteCount, value in
        guard keyByteCount > EntryKey.prefixByteCount + KeyEncoder.objectKeyByteCount else {
          throw Postings.Damage()
        }
        return try Postings.count(of: value)
      }
      isNearEnd = passed.count &+ rest > most
      if isNearEnd { return .more }
      passed.count &+= rest
      try cursor.moveToEndOfLeaf(isReversed: isReversed)
      return .more
    }
    return passed
  }

  /// Calls `body` with the cursor on each block that has entries within `range`, and the number of
  /// these entries. The body may move on.
  @inline(__always)
  private func visitBlocks(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (inout EntryCursor, EntryBounds, _ entryCount: Int) throws -> ScanStep
  ) throws {
    guard let tree = trees.entries(of: index) else { return }
    do {
      try reader.withCursor(on: tree) { cursor in
        try EntryBounds.with(index, range) { bounds in
          if isReversed {
            try descend(&cursor, within: bounds, body)
          } else {
            try ascend(&cursor, within: bounds, body)
          }
        }
      }
    } catch is Postings.Damage {
      throw damaged(tree, "a block of an index is broken")
    }
  }

  @inline(__always)
  private func ascend(
    _ cursor: inout EntryCursor, within bounds: EntryBounds,
    _ body: (inout EntryCursor, EntryBounds, Int) throws -> ScanStep
  ) throws {
    let isAnyAtOrAbove = try cursor.seek(atOrAbove: bounds.lower)
    // The block before may reach over the bound.
    var isThere = try isAnyAtOrAbove ? cursor.previous() : cursor.last()
    if isThere {
      if bounds.isOfIndex(cursor.key), bounds.splitsBelow(cursor.key),
        cursor.key.isBelow(bounds.upper)
      {
        let count = try entryCount(cursor.key, cursor.value, within: bounds)
        if count > 0, try body(&cursor, bounds, count) == .stop { return }
      }
      isThere = try cursor.next()
    } else if isAnyAtOrAbove {
      isThere = try cursor.first()
    }
    while isThere, bounds.isBelowUpper(cursor.key) {
      let count = try entryCount(cursor.key, cursor.value, within: bounds)
      if try body(&cursor, bounds, count) == .stop { return }
      isThere = try cursor.next()
    }
  }

  @inline(__always)
  private func descend(
    _ cursor: inout EntryCursor, within bounds: EntryBounds,
    _ body: (inout EntryCursor, EntryBounds, Int) throws -> ScanStep
  ) throws {
    var isThere = try cursor.seek(atOrAbove: bounds.upper) ? cursor.previous() : cursor.last()
    while isThere, bounds.isOfIndex(cursor.key) {
      let isWithin = !cursor.key.isBelow(bounds.lower)
      guard isWithin || bounds.splitsBelow(cursor.key) else { return }
      let count = try entryCount(cursor.key, cursor.value, within: bounds)
      if count > 0, try body(&cursor, bounds, count) == .stop { return }
      if !isWithin { return }
      isThere = try cursor.previous()
    }
  }

  /// The number of entries of one block that are within the bounds.
  @inline(__always)
  private func entryCount(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within bounds: EntryBounds
  ) throws -> Int {
    guard key.count > EntryKey.prefixByteCount + KeyEncoder.objectKeyByteCount else {
      throw Postings.Damage()
    }
    if bounds.splitsBelow(key) || bounds.splitsAbove(key) {
      return try splitCount(key, value, within: bounds)
    }
    return try Postings.count(of: value)
  }

  @inline(never)
  private func splitCount(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within bounds: EntryBounds
  ) throws -> Int {
    var count = 0
    _ = try walk(key, value, within: bounds) { _, _ in
      count += 1
      return .more
    }
    return count
  }
}

extension EntryKey {
  /// The value in a block's key.
  ///
  /// - Precondition: the key has a value and an object.
  @inline(__always)
  fileprivate static func value(ofBlock key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: key[prefixByteCount..<(key.count - KeyEncoder.objectKeyByteCount)])
  }
}
