// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
package import StrataModel
import StrataPrimitives
package import StrataRecord

// An index as the entries in its blocks (`Postings`): value and object, one after the other,
// ascending or descending.

extension StoreView {
  /// Nothing is allocated per entry.
  package func scanIndex(
    _ number: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    guard let tree = trees.entries(of: number) else { return }
    do {
      try reader.withCursor(on: tree) { cursor in
        try EntryBounds.with(number, range) { bounds in
          try isReversed
            ? descend(&cursor, within: bounds, body) : ascend(&cursor, within: bounds, body)
        }
      }
    } catch is Postings.Damage {
      throw damaged(tree, "a block of an index is broken")
    }
  }

  // MARK: - Ascending

  private func ascend(
    _ cursor: inout EntryCursor, within bounds: EntryBounds,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    let isAnyAtOrAbove = try cursor.seek(atOrAbove: bounds.lower)
    // The block before may reach over the bound.
    var isThere = try isAnyAtOrAbove ? cursor.previous() : cursor.last()
    if isThere {
      if bounds.isOfIndex(cursor.key), bounds.splitsBelow(cursor.key),
        cursor.key.isBelow(bounds.upper)
      {
        let step = try walk(cursor.key, cursor.value, within: bounds, body)
        if step == .stop { return }
      }
      isThere = try cursor.next()
    } else if isAnyAtOrAbove {
      isThere = try cursor.first()
    }
    while isThere, bounds.isBelowUpper(cursor.key) {
      if cursor.value.isEmpty {
        let entry = try EntryBounds.entry(cursor.key)
        let object = ObjectKey(rawValue: Postings.object(ofKey: entry))
        if try body(entry, object) == .stop { return }
      } else {
        let step = try walk(cursor.key, cursor.value, within: bounds, body)
        if step == .stop { return }
      }
      isThere = try cursor.next()
    }
  }

  /// Calls `body` with the entries of one block that are within the bounds.
  func walk(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within bounds: EntryBounds,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws -> ScanStep {
    let first = try EntryBounds.entry(key)
    var reader = Postings.Reader(from: Postings.object(ofKey: first), value)
    let (isCutBelow, isCutAbove) = (bounds.splitsBelow(key), bounds.splitsAbove(key))
    return try withUnsafeTemporaryAllocation(byteCount: key.count, alignment: 8) { whole in
      whole.copyMemory(from: key)
      let bytes = UnsafeRawBufferPointer(whole)
      let entry = UnsafeRawBufferPointer(rebasing: bytes[EntryKey.prefixByteCount...])
      repeat {
        whole.storeBytes(
          of: reader.object.bigEndian,
          toByteOffset: key.count - KeyEncoder.objectKeyByteCount, as: UInt64.self)
        if isCutBelow, bytes.isBelow(bounds.lower) { continue }
        if isCutAbove, !bytes.isBelow(bounds.upper) { return .stop }
        if try body(entry, ObjectKey(rawValue: reader.object)) == .stop { return .stop }
      } while try reader.next()
      return .more
    }
  }

  // MARK: - Descending

  private func descend(
    _ cursor: inout EntryCursor, within bounds: EntryBounds,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    var isThere =
      try cursor.seek(atOrAbove: bounds.upper) ? cursor.previous() : cursor.last()
    var objects: [UInt64] = []
    while isThere, bounds.isOfIndex(cursor.key) {
      let key = cursor.key
      let isWithin = !key.isBelow(bounds.lower)
      if cursor.value.isEmpty {
        guard isWithin else { return }
        let entry = try EntryBounds.entry(key)
        let object = ObjectKey(rawValue: Postings.object(ofKey: entry))
        if try body(entry, object) == .stop { return }
      } else {
        guard isWithin || bounds.splitsBelow(key) else { return }
        objects.removeAll(keepingCapacity: true)
        try Postings.append(objectsOf: EntryBounds.entry(key), cursor.value, to: &objects)
        let step = try walkBack(objects, of: key, within: bounds, body)
        if step == .stop || !isWithin { return }
      }
      isThere = try cursor.previous()
    }
  }

  private func walkBack(
    _ objects: [UInt64], of key: UnsafeRawBufferPointer, within bounds: EntryBounds,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws -> ScanStep {
    let (isCutBelow, isCutAbove) = (bounds.splitsBelow(key), bounds.splitsAbove(key))
    return try withUnsafeTemporaryAllocation(byteCount: key.count, alignment: 8) { whole in
      whole.copyMemory(from: key)
      let bytes = UnsafeRawBufferPointer(whole)
      let entry = UnsafeRawBufferPointer(rebasing: bytes[EntryKey.prefixByteCount...])
      for object in objects.reversed() {
        whole.storeBytes(
          of: object.bigEndian, toByteOffset: key.count - KeyEncoder.objectKeyByteCount,
          as: UInt64.self)
        if isCutAbove, !bytes.isBelow(bounds.upper) { continue }
        if isCutBelow, bytes.isBelow(bounds.lower) { return .stop }
        if try body(entry, ObjectKey(rawValue: object)) == .stop { return .stop }
      }
      return .more
    }
  }
}
