// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataRecord

/// Adds transactions to the history within one write transaction, and deletes those that the
/// retention lets go.
///
/// ## Invariants
/// - I1 Each generation above the state's floor has its chunks in the tree, from 0 to the last.
/// - I2 The state's `byteCount` counts the keys and values of all chunks.
///
/// ## Isolation
/// The writer thread.
struct HistoryWriter {
  let transaction: WriteTransaction
  let tree: Tree
  let schema: Schema
  var state: HistoryState
  /// How many transactions of the store this write transaction has added.
  private(set) var addedCount = 0

  /// - Returns: nil if the store keeps no history.
  /// - Throws: `StoreError.damaged`, `.storage`; `LMDBError`.
  init?(in transaction: WriteTransaction, _ schema: Schema) throws {
    guard let state = try HistoryState(in: transaction), state.isKept else { return nil }
    guard let tree = try transaction.tree(named: HistoryState.treeName) else {
      throw StoreError.damaged(
        tree: HistoryState.treeName, key: nil, reason: "the tree is missing")
    }
    self.transaction = transaction
    self.tree = tree
    self.schema = schema
    self.state = state
  }

  /// Adds the transaction that gets `generation`.
  mutating func append(
    _ record: consuming HistoryRecord, generation: UInt64, author: String?, contextName: String?
  ) throws {
    record.finish()
    var encoder = HistoryEncoder(
      generation: generation, to: try transaction.writeCursor(in: tree))
    try encoder.write(record, date: schema.clock.now, author: author, contextName: contextName)
    state.byteCount += encoder.byteCount
    transaction.recordByteCount += Int(encoder.byteCount)
    addedCount += 1
  }

  /// Deletes the transactions that the retention lets go, and writes the state. The last call of a
  /// write transaction.
  ///
  /// - Parameter generation: the generation of the last save in the transaction.
  mutating func finish(generation: UInt64) throws {
    try prune(upTo: generation - UInt64(addedCount))
    try state.write(in: transaction)
  }
}
