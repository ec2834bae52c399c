// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The bytes of index entries and links in the trees that several properties share. (Entries lie in
/// blocks: `Postings`.)
enum EntryKey {
  /// Bytes of the property number before an entry.
  static let prefixByteCount = 2
  /// Bytes of a link after the number: owner and target.
  static let linkByteCount = 16

  static func prefix(_ number: PropertyNumber) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number.rawValue >> 8), UInt8(truncatingIfNeeded: number.rawValue)]
  }

  /// What all links of one object in one relationship begin with.
  static func prefix(_ place: LinkPlace) -> [UInt8] {
    var bytes = prefix(place.relationship)
    KeyEncoder.append(objectKey: place.owner, to: &bytes)
    return bytes
  }
}
