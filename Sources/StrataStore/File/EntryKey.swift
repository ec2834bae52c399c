// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The bytes of index entries and links in the trees that several properties share. (Entries are
/// stored in blocks: `Postings`.)
enum EntryKey {
  /// Bytes of the property number before an entry.
  static let prefixByteCount = 2
  /// Bytes of a link after the number: owner and target.
  static let linkByteCount = 16
  /// The bytes before the keys of links that are between two places within one transaction.
  static let prefixOfMoved: [UInt8] = [0, 0]

  static func prefix(_ number: PropertyNumber) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number.rawValue >> 8), UInt8(truncatingIfNeeded: number.rawValue)]
  }

  /// The common prefix of all links of one object in one relationship.
  static func prefix(_ place: LinkPlace) -> [UInt8] {
    var bytes = prefix(place.relationship)
    KeyEncoder.append(objectKey: place.owner, to: &bytes)
    return bytes
  }

  /// The entity of a link's owner or target; nil if the bytes, which are from the disk, are not a
  /// link.
  static func entity(ofLink key: [UInt8], isOwner: Bool) -> EntityNumber? {
    guard key.count == prefixByteCount + linkByteCount else { return nil }
    let start = prefixByteCount + (isOwner ? 0 : 8)
    return EntityNumber(rawValue: UInt16(key[start]) << 8 | UInt16(key[start + 1]))
  }

  /// Calls `body` with the key of one link.
  static func withLink<Result>(
    _ number: PropertyNumber, _ owner: ObjectKey, _ target: ObjectKey,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(
      byteCount: prefixByteCount + linkByteCount, alignment: 8
    ) { bytes in
      bytes.storeBytes(of: number.rawValue.bigEndian, as: UInt16.self)
      bytes.storeBytes(
        of: owner.rawValue.bigEndian, toByteOffset: prefixByteCount, as: UInt64.self)
      bytes.storeBytes(
        of: target.rawValue.bigEndian, toByteOffset: prefixByteCount + 8, as: UInt64.self)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }
}
