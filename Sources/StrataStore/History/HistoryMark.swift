// SPDX-License-Identifier: Apache-2.0

/// Tells a transaction from the one that another copy of the store has under the same generation.
///
/// A restored backup gives the generations of lost commits to new ones. A token has the mark of its
/// transaction, so a token of a lost commit is refused.
///
/// The mark is made of bytes that the transaction has in any case: its date, to a tenth of a
/// microsecond, and the checksum of its first chunk, which covers date, author and changes. Two
/// commits with the same mark would have been made in the same tenth of a microsecond, with the
/// same checksum.
enum HistoryMark {
  /// The mark of the transaction with this first chunk; nil if the chunk is too short for a head.
  static func of(_ chunk: UnsafeRawBufferPointer) -> UInt64? {
    guard let date = HistoryEncoder.date(of: chunk) else { return nil }
    let checksum = UInt32(littleEndian: chunk.loadUnaligned(as: UInt32.self))
    // The low bits of the date differ most.
    return date.bitPattern ^ UInt64(checksum) << 32
  }

  /// The mark of a floor without a transaction, as where a history begins.
  static func random() -> UInt64 { UInt64.random(in: (unknown + 1) ... .max) }

  /// Stands for the mark of a floor whose transaction was deleted by a former release. Tokens of
  /// this floor are compared only by their numbers.
  static let unknown: UInt64 = 0
}
