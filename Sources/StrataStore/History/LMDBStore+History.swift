// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataRecord

extension LMDBStore {
  package func historyStatus() throws -> HistoryStatus? {
    try readHistory { state, reader, generation in
      HistoryStatus(
        retention: state.retention, oldestToken: try reader.token(of: state.floor, state),
        newestToken: try reader.token(of: generation, state),
        byteCount: Int(clamping: state.byteCount),
        consumers: try reader.consumers().mapValues { try reader.token(of: $0, state) })
    }
  }

  package func history(
    after token: HistoryToken?, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction] {
    let transactions = try readHistory { state, reader, last -> [StoredHistoryTransaction] in
      if let token { try reader.check(token, state, upTo: last) }
      let after = token?.generation ?? state.floor
      if after < state.floor {
        throw StoreError.historyTooOld(oldest: try reader.token(of: state.floor, state))
      }
      if after == last || countMax <= 0 { return [] }
      return try reader.transactions(
        (after + 1)...last, countMax: countMax, byteCountMax: byteCountMax)
    }
    guard let transactions else { throw StoreError.historyNotKept }
    return transactions
  }

  package func historyToken(of generation: UInt64) -> HistoryToken {
    let token = try? readHistory { state, reader, _ in try reader.token(of: generation, state) }
    return token ?? HistoryToken(storeID: uuid, generation: generation)
  }

  /// Calls `body` with a snapshot of the history.
  ///
  /// - Parameters:
  ///   - isRetry: whether the tree was missing when it was first looked for.
  ///   - body: gets also the generation of the last save.
  /// - Returns: nil if the store keeps no history.
  private func readHistory<Result>(
    isRetry: Bool = false,
    _ body: (HistoryState, HistoryReader, _ generation: UInt64) throws -> Result
  ) throws -> Result? {
    let environment = try openEnvironment()
    do {
      // Opened before the snapshot is taken: a tree that is opened later is invalid in it.
      let tree = try environment.tree(named: HistoryState.treeName)
      let transaction = try environment.read()
      let generation = try Catalog.generation(in: transaction, ofVersion: schema.version)
      guard let state = try HistoryState(in: transaction), state.isKept else { return nil }
      guard state.floor <= generation else {
        throw StoreError.damagedHistory(state.floor, "the store has no such generation")
      }
      guard let tree else {
        if isRetry {
          throw StoreError.damaged(
            tree: HistoryState.treeName, key: nil, reason: "the tree is missing")
        }
        // Another process may have begun to keep it in between.
        transaction.end()
        return try readHistory(isRetry: true, body)
      }
      return try body(state, HistoryReader(transaction, tree, schema), generation)
    } catch let error as LMDBError {
      throw StoreError(error, tree: HistoryState.treeName)
    }
  }
}
