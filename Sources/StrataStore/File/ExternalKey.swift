// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The key of an external attribute's value: the serial of its object, and the number of the
/// property, both big-endian. An object's values are neighbours, and values of new objects are at
/// the end.
struct ExternalKey {
  private let word: UInt64

  init(_ key: ObjectKey, _ property: PropertyNumber) {
    word = (key.serial << 16 | UInt64(property.rawValue)).bigEndian
  }

  /// Nil if the bytes, which are from the disk, are not such a key.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == MemoryLayout<UInt64>.size else { return nil }
    word = bytes.loadUnaligned(as: UInt64.self)
  }

  var serial: UInt64 { UInt64(bigEndian: word) >> 16 }

  var property: PropertyNumber {
    PropertyNumber(rawValue: UInt16(truncatingIfNeeded: UInt64(bigEndian: word)))
  }

  /// The key of another attribute's value of the same object.
  func with(_ property: PropertyNumber) -> ExternalKey {
    ExternalKey(word: (serial << 16 | UInt64(property.rawValue)).bigEndian)
  }

  private init(word: UInt64) { self.word = word }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: word) { (bytes) throws(Failure) in try body(bytes) }
  }
}
