// SPDX-License-Identifier: Apache-2.0
internal import CStrata

/// The stand-in for an external attribute's bytes in a record: their number and their digest.
///
/// With it, a record answers all questions about the value that do not need its bytes: whether
/// there is one, its length, and whether it has changed. Equal bytes have equal stamps, so
/// comparing, composing and merging records needs no bytes. Stamps of different bytes of one length
/// are equal by chance once in 2⁶⁴; the digest does not protect against deliberate collisions.
///
/// ```
///  0            8            16
///  ┌────────────┬────────────┐
///  │ byte count │ digest     │
///  │ UInt64     │ UInt64     │
///  └────────────┴────────────┘
/// ```
///
/// Docs/FileFormat.md, "Record".
package struct DataStamp: Sendable, Hashable {
  package let byteCount: UInt64
  package let digest: UInt64

  /// Bytes that it takes in a record.
  static let storedByteCount = 16

  /// The stamp of `bytes`. O(bytes).
  package init(of bytes: UnsafeRawBufferPointer) {
    byteCount = UInt64(bytes.count)
    digest = strata_digest(bytes.baseAddress, bytes.count)
  }

  init(storedAt start: UnsafeRawPointer) {
    byteCount = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    digest = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  func withStoredBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (byteCount.littleEndian, digest.littleEndian), body)
  }

  /// Whether `bytes` are those that it was made of. Bytes of another length are not looked at.
  package func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    UInt64(bytes.count) == byteCount && strata_digest(bytes.baseAddress, bytes.count) == digest
  }
}
