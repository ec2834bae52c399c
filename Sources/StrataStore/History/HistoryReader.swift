// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataRecord

/// Reads the tree `history` in one transaction.
///
/// ## Lifetime
/// The lifetime of its transaction.
///
/// ## Isolation
/// The isolation of its transaction.
struct HistoryReader {
  let transaction: Transaction
  let tree: Tree
  let schema: Schema

  init(_ transaction: Transaction, _ tree: Tree, _ schema: Schema) {
    self.transaction = transaction
    self.tree = tree
    self.schema = schema
  }

  private func cursor() -> EntryCursor {
    EntryCursor(on: tree, named: HistoryState.treeName, in: transaction)
  }

  /// The generations that consumers have reached, by the consumers' names.
  ///
  /// - Throws: `StoreError.damaged`; `LMDBError`.
  func consumers() throws -> [String: UInt64] {
    var consumers: [String: UInt64] = [:]
    var cursor = cursor()
    var isThere = try cursor.first()
    while isThere, let name = HistoryKey.consumerName(of: cursor.key) {
      guard cursor.value.count == 8 else {
        throw StoreError.damaged(
          tree: HistoryState.treeName, key: "a consumer", reason: "\(cursor.value.count) bytes")
      }
      consumers[name] = UInt64(littleEndian: cursor.value.loadUnaligned(as: UInt64.self))
      isThere = try cursor.next()
    }
    return consumers
  }

  /// The transactions of `generations`, oldest first, until there are `countMax` or they have
  /// `byteCountMax` bytes; at least one, if there is one.
  ///
  /// - Throws: `StoreError.damaged` if one is missing or damaged; `LMDBError`.
  func transactions(
    _ generations: ClosedRange<UInt64>, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction] {
    var found: [StoredHistoryTransaction] = []
    var byteCount = 0
    var cursor = cursor()
    var isAtChunk = try HistoryKey.withChunk(0, of: generations.lowerBound) {
      try cursor.seek(atOrAbove: $0)
    }
    for generation in generations {
      if found.count >= countMax || (!found.isEmpty && byteCount >= byteCountMax) { break }
      var chunks: [[UInt8]] = []
      while isAtChunk, let place = HistoryKey.place(of: cursor.key),
        place.generation == generation, place.chunk == chunks.count
      {
        chunks.append([UInt8](cursor.value))
        byteCount += cursor.value.count
        isAtChunk = try cursor.next()
      }
      found.append(try StoredHistoryTransaction(generation: generation, chunks: chunks, schema))
    }
    return found
  }
}
