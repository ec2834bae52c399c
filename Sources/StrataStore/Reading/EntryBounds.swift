// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The bounds of a scan, with the number of the index in front of each.
struct EntryBounds {
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
