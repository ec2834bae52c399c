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
    _ cursor: inout Cursor, within bounds: EntryBounds,
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
  private func walk(
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
    _ cursor: inout Cursor, within bounds: EntryBounds,
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

/// The bounds of a scan, with the number of the index in front of each.
private struct EntryBounds {
  let lower: UnsafeRawBufferPointer
  let upper: UnsafeRawBufferPointer
  /// The first eight bytes of the upper bound, most significant first; zeros where it ends before.
  private let upperHead: UInt64

  private init(lower: UnsafeRawBufferPointer, upper: UnsafeRawBufferPointer) {
    self.lower = lower
    self.upper = upper
    var head: UInt64 = 0
    withUnsafeMutableBytes(of: &head) { $0.copyBytes(from: upper.prefix(8)) }
    upperHead = UInt64(bigEndian: head)
  }

  /// Calls `body` with the bounds of a range of the index with `number`, which are good until it
  /// returns.
  static func with(
    _ number: PropertyNumber, _ range: KeyRange, _ body: (EntryBounds) throws -> Void
  ) rethrows {
    let prefixByteCount = EntryKey.prefixByteCount
    let split = prefixByteCount + range.lower.count
    let byteCount = split + prefixByteCount + (range.upper?.count ?? 0)
    try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { bytes in
      bytes.storeBytes(of: number.rawValue.bigEndian, as: UInt16.self)
      bytes[prefixByteCount..<split].copyBytes(from: range.lower)
      // The next number is above all entries of this one.
      let last = range.upper == nil ? number.rawValue &+ 1 : number.rawValue
      bytes.storeBytes(of: last.bigEndian, toByteOffset: split, as: UInt16.self)
      if let upper = range.upper { bytes[(split + prefixByteCount)...].copyBytes(from: upper) }
      let bounds = UnsafeRawBufferPointer(bytes)
      try body(
        EntryBounds(
          lower: UnsafeRawBufferPointer(rebasing: bounds[..<split]),
          upper: UnsafeRawBufferPointer(rebasing: bounds[split...])))
    }
  }

  /// Whether a key comes before the upper bound. Mostly the first eight bytes tell: a bound that is
  /// shorter is above no key that begins with it, as if there were zeros behind it.
  @inline(__always)
  func isBelowUpper(_ key: UnsafeRawBufferPointer) -> Bool {
    guard key.count >= 8 else { return key.isBelow(upper) }
    let head = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    return head == upperHead ? key.isBelow(upper) : head < upperHead
  }

  /// Whether a key is of the index that is scanned.
  func isOfIndex(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count >= EntryKey.prefixByteCount
      && key.prefix(EntryKey.prefixByteCount)
        .elementsEqual(lower.prefix(EntryKey.prefixByteCount))
  }

  /// Whether the lower bound may be between two objects of the block under `key`.
  func splitsBelow(_ key: UnsafeRawBufferPointer) -> Bool { Self.splits(lower, key) }

  /// Whether the upper bound may be between two objects of the block under `key`.
  func splitsAbove(_ key: UnsafeRawBufferPointer) -> Bool { Self.splits(upper, key) }

  /// Only a bound that goes on after the block's value can.
  private static func splits(
    _ bound: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
  ) -> Bool {
    let valueEnd = key.count - KeyEncoder.objectKeyByteCount
    guard valueEnd > 0, bound.count > valueEnd else { return false }
    return UnsafeRawBufferPointer(rebasing: key[..<valueEnd])
      .isEqual(to: UnsafeRawBufferPointer(rebasing: bound[..<valueEnd]))
  }

  /// The entry in a key: all but the number.
  /// - Throws: `Postings.Damage` if it is too short to have a value and an object.
  static func entry(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
    guard key.count > EntryKey.prefixByteCount + KeyEncoder.objectKeyByteCount else {
      throw Postings.Damage()
    }
    return UnsafeRawBufferPointer(rebasing: key[EntryKey.prefixByteCount...])
  }
}
