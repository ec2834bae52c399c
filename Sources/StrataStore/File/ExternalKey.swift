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

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: word) { (bytes) throws(Failure) in try body(bytes) }
  }
}
