// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives

/// The statement of a commit about the file that it leaves: the note `#seal`.
///
/// | offset | bytes | meaning |
/// | --- | --- | --- |
/// | 0 | 8 | the number of the commit |
/// | 8 | 8 | the digest of the content |
/// | 16 | 8 | the digest of the former commit's header |
///
/// The digest of the content is the sum of the digests of all entries of all trees and of all other
/// notes (`strata_entry_digest`). A commit changes it by the digests of the entries that it has
/// added and removed, so it costs nothing to keep for the rest. A page that was never written, or
/// an older state of a page, changes the sum.
///
/// A header with a damaged number would make LMDB use the commit before. The seal of that commit
/// has another number, or the digest of another header.
struct ContentSeal: Equatable {
  static let name: StaticString = "#seal"
  static let byteCount = 24

  var number: UInt64
  var digest: UInt64
  var formerHeader: UInt64

  init(number: UInt64, digest: UInt64, formerHeader: UInt64) {
    (self.number, self.digest, self.formerHeader) = (number, digest, formerHeader)
  }

  /// - Returns: nil if these are not the bytes of a seal.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    self.init(number: word(0), digest: word(8), formerHeader: word(16))
  }

  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let words = [number.littleEndian, digest.littleEndian, formerHeader.littleEndian]
    try words.span.bytes.withUnsafeBytes(body)
  }

  // MARK: - Digests

  /// The seed of the digests of a tree's entries. An entry in another tree has another digest.
  static func seed(ofTree name: String) -> UInt64 {
    Array(name.utf8).withUnsafeBytes { bytes in
      strata_digest(bytes.baseAddress, bytes.count)
    }
  }

  /// Of notes.
  static let seedOfNotes = seed(ofTree: "#")

  static func digest(
    of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, seed: UInt64
  ) -> UInt64 {
    if StorageFault.entriesUnsealed.isPlanted, key.count != RecordKey.byteCount { return 0 }
    return strata_entry_digest(key.baseAddress, key.count, value.baseAddress, value.count, seed)
  }

  static func isName(_ key: UnsafeRawBufferPointer) -> Bool {
    key.isEqual(to: Transaction.key(ofNote: name))
  }
}
