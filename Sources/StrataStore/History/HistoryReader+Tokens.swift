// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

// Tokens of a store, made and compared with the history that the store has now.

extension HistoryReader {
  /// The token of a generation.
  ///
  /// - Throws: `LMDBError`.
  func token(of generation: UInt64, _ state: HistoryState) throws(LMDBError) -> HistoryToken {
    HistoryToken(
      storeID: schema.store.uuid, generation: generation, mark: try mark(of: generation, state))
  }

  /// Checks that a token is of this store, and of a commit that the store still has or has had
  /// before its floor.
  ///
  /// Marks are compared if both are known: a token of a former release has none, and transactions
  /// below the floor are gone.
  ///
  /// - Parameter last: the generation of the last save.
  /// - Throws: `StoreError.foreignHistoryToken`; `.damaged` if the transaction is damaged;
  ///   `LMDBError`.
  func check(_ token: HistoryToken, _ state: HistoryState, upTo last: UInt64) throws {
    guard token.storeID == schema.store.uuid, token.generation <= last else {
      throw StoreError.foreignHistoryToken
    }
    guard let mark = token.mark, let own = try self.mark(of: token.generation, state), mark != own
    else { return }
    if token.generation > state.floor, try !isSound(token.generation) {
      throw StoreError.damagedHistory(token.generation, "chunk 0 fails its checksum")
    }
    throw StoreError.foreignHistoryToken
  }

  /// Nil if the transaction is below the floor or missing, and for the floor of a former release.
  private func mark(
    of generation: UInt64, _ state: HistoryState
  ) throws(LMDBError) -> UInt64? {
    if generation == state.floor {
      return state.floorMark == HistoryMark.unknown ? nil : state.floorMark
    }
    if generation < state.floor { return nil }
    return try firstChunk(of: generation).flatMap(HistoryMark.of)
  }

  private func isSound(_ generation: UInt64) throws(LMDBError) -> Bool {
    guard let chunk = try firstChunk(of: generation) else { return false }
    return StoredHistoryTransaction.isSound(chunk, number: 0, of: generation)
  }

  /// The first chunk of a transaction; nil if the transaction is missing.
  func firstChunk(of generation: UInt64) throws(LMDBError) -> UnsafeRawBufferPointer? {
    try HistoryKey.withChunk(0, of: generation) { (key) throws(LMDBError) in
      try transaction.get(key, in: tree)
    }
  }
}
