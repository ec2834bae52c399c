// SPDX-License-Identifier: Apache-2.0
internal import CStrata
package import StrataModel
import StrataPrimitives

/// The stored form of a record: a checksum, the generation that wrote it, and the record's bytes.
///
/// ```
///  0          4                 10
///  ┌──────────┬─────────────────┬───────────┐
///  │ checksum │ generation      │ record …  │
///  │ UInt32   │ 48 bits         │           │
///  └──────────┴─────────────────┴───────────┘
///   checksum = strata_checksum(all bytes after it, seed: the object's key)
/// ```
///
/// With it, a flipped bit, a torn write or a record under another object's key is an error when it
/// is read, not wrong data. The generation is stored beside the record, never in it: rewriting the
/// same values leaves the same record. Docs/FileFormat.md, "Envelope".
package enum Envelope {
  /// Bytes before the record.
  package static let byteCount = 10
  /// The largest generation: 2⁴⁸ - 1.
  package static let generationMax: UInt64 = (1 << 48) - 1

  /// Bytes that `record` takes on disk.
  package static func byteCount(for record: Record) -> Int { byteCount + record.byteCount }

  /// Writes `record` and its envelope.
  /// - Parameters:
  ///   - generation: 0 … `generationMax`.
  ///   - key: the object's key; decoding asks for the same.
  ///   - target: `byteCount(for: record)` bytes, which are all written.
  package static func encode(
    record: Record, generation: UInt64, key: ObjectKey, into target: UnsafeMutableRawBufferPointer
  ) {
    require(target.count == byteCount(for: record), "the target is of the record's size")
    require(generation <= generationMax, "a generation has 48 bits")
    // The two highest bytes of the stored word are the record's first two, written after it.
    var word = generation.littleEndian
    withUnsafeBytes(of: &word) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: target[4..<10])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<6]))
    }
    record.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: target[10...]).copyMemory(from: $0)
    }
    let checksum = strata_checksum(target.baseAddress! + 4, target.count - 4, key.rawValue)
    target.storeBytes(of: checksum.littleEndian, as: UInt32.self)
  }

  /// The generation and the record's bytes within `bytes`. They are not yet validated (see
  /// `RecordLayout.validate`) and live as long as `bytes`.
  /// - Throws: `RecordError.tooShort`, `.checksumMismatch`.
  @inline(__always)
  package static func decode(
    _ bytes: UnsafeRawBufferPointer, key: ObjectKey
  ) throws(RecordError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    guard bytes.count >= byteCount, let start = bytes.baseAddress else {
      throw .tooShort(byteCount: bytes.count, byteCountMin: byteCount)
    }
    let found = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
    let expected = strata_checksum(start + 4, bytes.count - 4, key.rawValue)
    guard found == expected || StorageFault.recordUnchecked.isPlanted else {
      throw .checksumMismatch(expected: expected, found: found)
    }
    return (
      generation(at: start),
      UnsafeRawBufferPointer(start: start + byteCount, count: bytes.count - byteCount)
    )
  }

  private static func generation(at start: UnsafeRawPointer) -> UInt64 {
    let low = UInt32(littleEndian: (start + 4).loadUnaligned(as: UInt32.self))
    let high = UInt16(littleEndian: (start + 8).loadUnaligned(as: UInt16.self))
    return UInt64(low) | UInt64(high) << 32
  }
}

/// A record and the generation that wrote it, as a store or a segment gives it.
package struct StoredRecord: Sendable {
  package var record: Record
  package var generation: UInt64

  package init(record: Record, generation: UInt64) {
    self.record = record
    self.generation = generation
  }
}
