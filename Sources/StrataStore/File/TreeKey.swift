// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// The bytes under which a record lies in the tree of its entity: the serial, big-endian, which is also the
/// number that a `MappedTree` has it under.
struct RecordKey {
  static let byteCount = 6

  private let word: UInt64

  init(_ key: ObjectKey) { word = (key.serial << 16).bigEndian }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: word) { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[..<Self.byteCount]))
    }
  }

  /// Whether `serial` is so little above `former` that the entries of the two may well be neighbours: an
  /// entity's objects are made in rows, or by turns with a few others.
  static func isNear(_ serial: UInt64, above former: UInt64) -> Bool {
    serial > former && serial - former <= 8
  }

  /// The serial that `bytes` are; nil if they are no record's key.
  static func serial(of bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count == byteCount else { return nil }
    let high = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    let low = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    return UInt64(high) << 16 | UInt64(low)
  }
}

/// The bytes under which an external attribute's value lies: the serial of its object, and the number of
/// the property, both big-endian. An object's values lie together, those of new ones at the end.
struct ExternalKey {
  private let word: UInt64

  init(_ key: ObjectKey, _ property: PropertyNumber) {
    word = (key.serial << 16 | UInt64(property.rawValue)).bigEndian
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: word) { (bytes) throws(Failure) in try body(bytes) }
  }
}

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
