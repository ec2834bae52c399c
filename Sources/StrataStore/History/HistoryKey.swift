// SPDX-License-Identifier: Apache-2.0

/// The keys of the tree `history`. Transactions come after all else, so that they are appended.
///
/// | key | value |
/// | --- | --- |
/// | `00`, a consumer's name in NFC and UTF-8 | the generation that it has reached, 8 bytes |
/// | `01`, generation, 6 bytes; number of the chunk, 4 bytes, big-endian | a chunk |
enum HistoryKey {
  /// Bytes of a consumer's name at most.
  static let nameByteCountMax = 255
  static let transactionByteCount = 11
  /// The first byte of a transaction's key.
  static let transactionKind: UInt8 = 1
  private static let consumerKind: UInt8 = 0

  static func consumer(_ name: String) -> [UInt8] { [consumerKind] + Array(name.utf8) }

  /// The name of the consumer whose key this is; nil if it is not a consumer's.
  static func consumerName(of key: UnsafeRawBufferPointer) -> String? {
    guard key.first == consumerKind else { return nil }
    return String(decoding: key.dropFirst(), as: UTF8.self)
  }

  /// Calls `body` with the key of a chunk.
  static func withChunk<Result, Failure>(
    _ number: UInt32, of generation: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let first = UInt64(transactionKind) << 56 | generation << 8 | UInt64(number >> 24)
    let words = (first.bigEndian, (UInt64(number & 0xFF_FFFF) << 40).bigEndian)
    return try withUnsafeBytes(of: words) { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[..<transactionByteCount]))
    }
  }

  /// The generation and number of the chunk whose key this is; nil if it is not a chunk's.
  static func place(of key: UnsafeRawBufferPointer) -> (generation: UInt64, chunk: UInt32)? {
    guard key.count == transactionByteCount, key[0] == transactionKind else { return nil }
    let generation = key[1..<7].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return (generation, key[7..<11].reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
  }
}
