// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a record. The bytes came from a file and may be anything; the caller reports
/// the store as damaged, naming tree and key, and goes on without the record.
package enum RecordError: Error, Hashable, Sendable {
  // MARK: Envelope

  /// The bytes differ from those that were written, or are stored under another object's key.
  case checksumMismatch(expected: UInt32, found: UInt32)

  // MARK: Envelope and record

  /// The bytes end before `byteCountMin`.
  case tooShort(byteCount: Int, byteCountMin: Int)

  // MARK: Record

  /// The record was written with another model version than the layout's. If the catalog has that
  /// version, the caller takes its layout; otherwise the record is damaged.
  case unknownVersion(found: UInt16)
  /// The end offset of a variable slot is before its start or beyond the record.
  case badOffsets(variableSlot: Int)
  /// Bytes follow the last value.
  case trailingBytes(count: Int)
}

extension RecordError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .checksumMismatch(let expected, let found):
      "the checksum is \(String(found, radix: 16)), the bytes give \(String(expected, radix: 16))"
    case .tooShort(let byteCount, let byteCountMin):
      "\(byteCount) bytes, where at least \(byteCountMin) are needed"
    case .unknownVersion(let found): "written with model version \(found)"
    case .badOffsets(let slot): "the offsets of variable slot \(slot) leave the record"
    case .trailingBytes(let count): "\(count) bytes follow the last value"
    }
  }
}
